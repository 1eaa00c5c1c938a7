/*
 * split.h: one run of a test for many mutants.
 *
 * The program runs as the original. At a point where living mutants would go on with another value, the original
 * makes a copy of itself for each such value, waits until the copy has ended, notes how, and goes on as if nothing
 * had been. Only the original forks, waits and notes; a copy never forks.
 *
 * A copy must not be seen: not by the original, not by another copy, not by anything outside. What a copy would share
 * with the original (files open for writing, pipes, shared memory, timers, threads, children) is looked for before
 * every copy; what it might do to others later on it cannot do, since a filter for system calls ends it first. In both
 * cases the sheet says so, and the mutant has to be executed in another way.
 *
 * A copy must not be believed either: a mutant may write anywhere, by accident or on purpose. So a copy has no access
 * to the sheet; the verdict of a mutant is the end of its copy, as the kernel reports it to the original. A copy of
 * one mutant has nothing of ours but memory that it can only read.
 *
 * A group is several mutants of one point that have the same value there. Its copy goes on as the first of them. It
 * has a channel to the original: one end of a pair of sockets. (A pipe could be opened again for reading, and what is
 * in it be taken out.) Members that would go on in another way than the first leave the copy: it writes their indices
 * to the channel and goes on as the others. When it has ended, the original checks what is in the channel, and makes
 * a new copy for those that left, from its own state, which is still that at the point. If the check fails, or if the
 * copy ended by a SIGKILL that we did not send, every member of the group gets a copy of its own. So garbage in
 * the channel costs time and decides nothing: the members that a copy stands for in the end have behaved alike all
 * the time, and its end is that of each.
 *
 * All calls go to the kernel directly: what a test replaces of the C library, and `errno`, are not touched. The numbers
 * of the calls and the filter come with the sheet; where the program is for another machine there is no splitting.
 */
#define PERTURB_SHEET_MAGIC 0x50525453u
#define PERTURB_SHEET_VERSION 2u
#define PERTURB_MOST_FILES 48
#define PERTURB_MOST_FILTERS 400

/* The calls, in the order of the sheet. */
enum {
	PERTURB_GETPID, PERTURB_GETSID, PERTURB_FCNTL, PERTURB_STATX, PERTURB_LSEEK, PERTURB_OPENAT, PERTURB_PREAD,
	PERTURB_CLOSE, PERTURB_DUP3, PERTURB_CLONE, PERTURB_WAIT4, PERTURB_WAITID, PERTURB_PIDFD_OPEN,
	PERTURB_PIDFD_SEND_SIGNAL, PERTURB_PPOLL, PERTURB_CLOCK_GETTIME, PERTURB_GETITIMER, PERTURB_PRCTL,
	PERTURB_PRLIMIT, PERTURB_KILL, PERTURB_MUNMAP, PERTURB_SIGPENDING, PERTURB_MPROTECT, PERTURB_TGKILL,
	PERTURB_SOCKETPAIR, PERTURB_READ, PERTURB_WRITE,
	PERTURB_CALLS
};

/* How a mutant's copy ended. */
enum { PERTURB_ENDED = 1, PERTURB_OUT_OF_CPU };

/* Why a mutant has to be executed in another way. The same numbers are in perturb-rt/src/sheet.rs. */
enum {
	PERTURB_NOT_OURS = 1,       /* another process of the test, or not the one that the test's end depends on */
	PERTURB_THREADS, PERTURB_CHILDREN, PERTURB_WRITABLE_FILE, PERTURB_CHANNEL, PERTURB_SHARED_MEMORY, PERTURB_TIMER,
	PERTURB_OUTPUT_MOVED,
	PERTURB_CALLED_OUT,         /* it made a system call that others would notice */
	PERTURB_OUT_OF_TIME,        /* by the clock on the wall, which may be the machine's fault */
	PERTURB_NO_COPY, PERTURB_NO_PROC, PERTURB_SIGNAL
};

struct __perturb_sheet {
	unsigned magic, version, files, size;
	unsigned pointer;                   /* its size in the programs that this is for */
	unsigned filter, filters;           /* where, and how many instructions */
	unsigned claimed;                   /* the process that splits */
	unsigned own;                       /* which instruction of the filter has the process's own id */
	unsigned spare;
	unsigned long long wall_ns;         /* what a copy may take by the clock on the wall */
	unsigned calls[32];
};
struct __perturb_part {
	unsigned key, functions, statements, points, mutants;
	unsigned living, results;           /* offsets from the start of the sheet */
};
struct __perturb_result {
	unsigned end, status, held;
	unsigned cpu_us;                    /* what its copy may take of the processor, and in the end what it took */
};

/* What `living` says of a mutant. In a copy, only the mutants that it stands for live. */
enum {
	PERTURB_GONE = 0,
	PERTURB_LIVES,
	PERTURB_LEAVES,     /* it goes on in another way than this process: in the next copy */
	PERTURB_HAS_LEFT,   /* its group's copy says that it has left */
	PERTURB_ALONE       /* it gets a copy of its own */
};

/* Files that we have open: the null device, for writing, and two that tell about this process. */
enum { PERTURB_NULL, PERTURB_MAPS, PERTURB_TIMERS, PERTURB_OURS };

/*
 * What all instrumented parts of one process share, the program and its libraries: at a place that they all know. A
 * copy can only read it.
 */
struct __perturb_meeting {
	unsigned magic;
	unsigned pid;                       /* of this process if it may split or is a copy */
	unsigned is_mutant;                 /* this is a copy */
	int files_of_ours[PERTURB_OURS];    /* only in the original */
	int channel;                        /* of a group's copy to the original */
	unsigned filters, own;              /* how many instructions, and which has the id of this process */
	unsigned long long ours[PERTURB_OURS][2];   /* which files these are */
	unsigned long long outputs[2][2];   /* what standard output and error were at the start */
	unsigned long long channel_is[2];   /* which file the channel is */
	unsigned long limit[2];             /* how many files the program may have open, where it does not split */
	struct __perturb_sheet *sheet;      /* only in the original */
	struct __perturb_file *files;
	unsigned calls[PERTURB_CALLS];
	unsigned long long filter[PERTURB_MOST_FILTERS];
};
#define PERTURB_MEETING ((struct __perturb_meeting *)0x7e8074755000ul)

struct __perturb_statx {
	unsigned mask, block;
	unsigned long long attributes;
	unsigned links, user, group;
	unsigned short mode, spare;
	unsigned long long inode, size, blocks, known, times[8];
	unsigned device[2], in_device[2];
	unsigned long long rest[16];
};

#if defined __x86_64__
#define PERTURB_MMAP 9
__attribute__((__unused__)) static long __perturb_raw(long number, long a, long b, long c, long d, long e, long g)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = g;

	__asm__ __volatile__("syscall"
			     : "+a"(number)
			     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			     : "rcx", "r11", "memory");
	return number;
}
#else
#define PERTURB_MMAP 222
__attribute__((__unused__)) static long __perturb_raw(long number, long a, long b, long c, long d, long e, long g)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = g;

	__asm__ __volatile__("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}
#endif
#define __perturb_call(WHICH, A, B, C, D, E) \
	__perturb_raw((long)PERTURB_MEETING->calls[WHICH], (long)(A), (long)(B), (long)(C), (long)(D), (long)(E), 0)

PERTURB_C int __perturb_status(int file, const char *path, struct __perturb_statx *status);
PERTURB_ONCE int __perturb_status(int file, const char *path, struct __perturb_statx *status)
{
	return __perturb_call(PERTURB_STATX, file, path, 0x1000 /* of the file itself */, 0x7ff, status) == 0;
}

/* Which file a descriptor is: zeros if it is none. */
PERTURB_C void __perturb_identify(int file, unsigned long long *which);
PERTURB_ONCE void __perturb_identify(int file, unsigned long long *which)
{
	struct __perturb_statx status;

	which[0] = which[1] = 0;
	if (!__perturb_status(file, "", &status))
		return;
	which[0] = status.inode;
	which[1] = (unsigned long long)status.in_device[0] << 32 | status.in_device[1];
}

/* How many files may be open: no more than can be looked at, or as many as without us. */
PERTURB_C int __perturb_limit_files(unsigned long most);
PERTURB_ONCE int __perturb_limit_files(unsigned long most)
{
	unsigned long limit[2];

	limit[0] = PERTURB_MEETING->limit[0] < most ? PERTURB_MEETING->limit[0] : most;
	limit[1] = PERTURB_MEETING->limit[1];
	return __perturb_call(PERTURB_PRLIMIT, 0, 7, limit, 0, 0) == 0;
}

/*
 * Whether the end of this process is the end of the test. Its cell has made it the leader of a session, and to die with
 * the cell; no other process that the test starts is both.
 */
PERTURB_C int __perturb_is_first(void);
PERTURB_ONCE int __perturb_is_first(void)
{
	int signal = 0;

	return __perturb_call(PERTURB_GETPID, 0, 0, 0, 0, 0) == __perturb_call(PERTURB_GETSID, 0, 0, 0, 0, 0)
	       && __perturb_call(PERTURB_PRCTL, 2, &signal, 0, 0, 0) == 0 && signal == 9;
}

/* Opens a file high up, where it is in nobody's way, to be closed by exec. */
PERTURB_C int __perturb_open_high(const char *path, int writing);
PERTURB_ONCE int __perturb_open_high(const char *path, int writing)
{
	long file = __perturb_call(PERTURB_OPENAT, -100, path, 02000000 | writing, 0, 0);
	long high;

	if (file < 0)
		return -1;
	high = __perturb_call(PERTURB_FCNTL, file, 1030 /* with the same flag */, PERTURB_MOST_FILES - 3, 0, 0);
	__perturb_call(PERTURB_CLOSE, file, 0, 0, 0, 0);
	return (int)high;
}

/* What a file about this process says, from an offset on: one that is open, or the one with this path. */
PERTURB_C long __perturb_tell(int file, const char *path, char *buffer, long size, long offset);
PERTURB_ONCE long __perturb_tell(int file, const char *path, char *buffer, long size, long offset)
{
	long own = file, n;

	if (file < 0)
		own = __perturb_call(PERTURB_OPENAT, -100, path, 0, 0, 0);
	if (own < 0)
		return -1;
	n = __perturb_call(PERTURB_PREAD, own, buffer, size, offset, 0);
	if (own != file)
		__perturb_call(PERTURB_CLOSE, own, 0, 0, 0, 0);
	return n;
}

/* Takes from the sheet what a copy needs as well. */
PERTURB_C int __perturb_take(const struct __perturb_sheet *sheet);
PERTURB_ONCE int __perturb_take(const struct __perturb_sheet *sheet)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	const char *filter = (const char *)sheet + sheet->filter;
	unsigned i;

	if (sheet->pointer != sizeof(void *) || sheet->filters > PERTURB_MOST_FILTERS || sheet->own >= sheet->filters)
		return 0;
	for (i = 0; i < PERTURB_CALLS; i++)
		meeting->calls[i] = sheet->calls[i];
	for (i = 0; i < sheet->filters; i++)
		meeting->filter[i] = ((const unsigned long long *)(const void *)filter)[i];
	meeting->filters = sheet->filters;
	meeting->own = sheet->own;
	return 1;
}

/* A program of the test reads its sheet. Only the one whose end is the end of the test may split. */
PERTURB_C int __perturb_meet(const char *path);
PERTURB_ONCE int __perturb_meet(const char *path)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	struct __perturb_sheet *sheet;
	long place;
	int i;

	/* Private, anonymous, here or nowhere. */
	place = __perturb_raw(PERTURB_MMAP, (long)meeting, sizeof *meeting, 3, 0x100022, -1, 0);

	/* Another part of the process was here first. What a copy loads later runs as the original does. */
	if (place == -17)
		return meeting->magic == PERTURB_SHEET_MAGIC && !meeting->is_mutant;
	if (place != (long)meeting)
		return 0;
	sheet = (struct __perturb_sheet *)__perturb_map(path, PERTURB_SHEET_MAGIC, PERTURB_SHEET_VERSION);
	if (!sheet || !__perturb_take(sheet))
		return 0;
	meeting->sheet = sheet;
	meeting->magic = PERTURB_SHEET_MAGIC;
	meeting->channel = -1;
	if (sheet->claimed || !__perturb_is_first())
		return 1;
	if (__perturb_call(PERTURB_PRLIMIT, 0, 7, 0, meeting->limit, 0) != 0 || !__perturb_limit_files(PERTURB_MOST_FILES))
		return 1;
	__perturb_identify(1, meeting->outputs[0]);
	__perturb_identify(2, meeting->outputs[1]);
	meeting->files_of_ours[PERTURB_NULL] = __perturb_open_high("/dev/null", 1);
	meeting->files_of_ours[PERTURB_MAPS] = __perturb_open_high("/proc/self/maps", 0);
	meeting->files_of_ours[PERTURB_TIMERS] = __perturb_open_high("/proc/self/timers", 0);
	for (i = 0; i < PERTURB_OURS; i++)
		__perturb_identify(meeting->files_of_ours[i], meeting->ours[i]);
	if (meeting->files_of_ours[PERTURB_NULL] < 0)
		return 1;
	meeting->pid = sheet->claimed = (unsigned)__perturb_call(PERTURB_GETPID, 0, 0, 0, 0, 0);
	return 1;
}

/* The function that a point is in. */
PERTURB_C unsigned __perturb_function(const struct __perturb_file *f, unsigned p);
PERTURB_ONCE unsigned __perturb_function(const struct __perturb_file *f, unsigned p)
{
	unsigned low = 0, high = f->functions;

	while (high - low > 1) {
		unsigned middle = low + (high - low) / 2;

		if (f->points_of[middle] <= p)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Takes a file's living mutants from the sheet. */
PERTURB_C void __perturb_enlist(struct __perturb_file *f);
PERTURB_ONCE void __perturb_enlist(struct __perturb_file *f)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	struct __perturb_part *part = (struct __perturb_part *)(meeting->sheet + 1);
	const unsigned char *living;
	unsigned i, p, m, is_asked = 0;

	for (i = 0; i < meeting->sheet->files; i++, part++) {
		if (part->key != f->key || part->functions != f->functions || part->points != f->points
		    || part->mutants != f->mutants)
			continue;
		living = (const unsigned char *)meeting->sheet + part->living;
		f->results = (struct __perturb_result *)(void *)((char *)meeting->sheet + part->results);
		for (p = 0; p < f->points; p++) {
			for (m = f->first[p]; m < f->first[p + 1]; m++)
				if (living[m])      /* memory that nobody writes to costs a copy nothing */
					f->living[m] = 1, f->state[p] = PERTURB_SPLIT;
			if (f->state[p] != PERTURB_SPLIT)
				continue;
			f->on[__perturb_function(f, p)] = 1;
			is_asked = 1;
		}
		/* Most files of a large project are not: a copy has nothing to do with those. */
		if (is_asked) {
			f->next = meeting->files;
			meeting->files = f;
		}
		return;
	}
}

/* Whether some memory is shared with other processes and can be written; the sheet does not count. */
PERTURB_C int __perturb_has_shared_memory(void);
PERTURB_ONCE int __perturb_has_shared_memory(void)
{
	char buffer[4096];
	unsigned long start = 0;
	long n, i, offset = 0;
	int column = 0, can_write = 0, found = 0, maps = PERTURB_MEETING->files_of_ours[PERTURB_MAPS];

	/* `start-end rwxs …`: columns are the start, the end, and then one for each letter. */
	while ((n = __perturb_tell(maps, "/proc/self/maps", buffer, sizeof buffer, offset)) > 0) {
		offset += n;
		for (i = 0; i < n; i++) {
			char c = buffer[i];

			if (c == '\n')
				start = 0, column = 0;
			else if (column == 0 && c != '-')
				start = start * 16 + (unsigned long)(c <= '9' ? c - '0' : c - 'a' + 10);
			else if (column == 0 || (column == 1 && c == ' '))
				column++;
			else if (column >= 2 && column <= 5) {
				if (column == 3)
					can_write = c == 'w';
				else if (column == 5 && c == 's' && can_write && start != (unsigned long)PERTURB_MEETING->sheet)
					found = 1;
				column++;
			}
		}
	}
	if (n < 0)
		return -1;
	return found;
}

/* Whether something is under way that a copy would not have: a timer, or a signal that is not let in yet. */
PERTURB_C unsigned __perturb_awaits(void);
PERTURB_ONCE unsigned __perturb_awaits(void)
{
	unsigned long long timer[4], pending = 0;
	char byte;
	long i;

	if (__perturb_call(PERTURB_SIGPENDING, &pending, 8, 0, 0, 0) != 0 || pending)
		return PERTURB_SIGNAL;
	for (i = 0; i < 3; i++)
		if (__perturb_call(PERTURB_GETITIMER, i, timer, 0, 0, 0) != 0 || timer[2] || timer[3])
			return PERTURB_TIMER;
	i = __perturb_tell(PERTURB_MEETING->files_of_ours[PERTURB_TIMERS], "/proc/self/timers", &byte, 1, 0);
	return i < 0 ? PERTURB_NO_PROC : i > 0 ? PERTURB_TIMER : 0;
}

/*
 * A mutant may read what lies on the stack and nobody wrote: what we leave there should be nothing special. As a
 * floating number -1 would be none at all, these are next to zero.
 */
#define PERTURB_NO_OFFSET (-0x7fffffffffffffffl - 1)
#define PERTURB_OUTPUT (PERTURB_NO_OFFSET + 1)

/* The null device, that of zeros, and the full one. */
#define PERTURB_SWALLOWS(MINOR) ((MINOR) == 3 || (MINOR) == 5 || (MINOR) == 7)

/* Whether a copy could share what the process has open. Where each file is read goes to `offsets`. */
PERTURB_C unsigned __perturb_open_files(long *offsets);
PERTURB_ONCE unsigned __perturb_open_files(long *offsets)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	struct __perturb_statx status;
	unsigned long long which[2];
	unsigned long limit[2];
	unsigned kind;
	long access;
	int file, own;

	/* The program may have asked for more than can be looked at. */
	if (__perturb_call(PERTURB_PRLIMIT, 0, 7, 0, limit, 0) != 0 || limit[0] > PERTURB_MOST_FILES)
		return PERTURB_CHANNEL;
	for (file = 0; file < PERTURB_MOST_FILES; file++) {
		offsets[file] = PERTURB_NO_OFFSET;
		access = __perturb_call(PERTURB_FCNTL, file, 3, 0, 0, 0);
		for (own = 0; own < PERTURB_OURS && file != meeting->files_of_ours[own]; own++) {}
		if (own < PERTURB_OURS) {
			/* The program may have closed it, or have put its own in its place. */
			__perturb_identify(file, which);
			if (which[0] != meeting->ours[own][0] || which[1] != meeting->ours[own][1])
				return PERTURB_NO_COPY;
			continue;
		}
		if (access < 0)
			continue;
		if (!__perturb_status(file, "", &status))
			return PERTURB_CHANNEL;
		kind = status.mode & 0170000u;
		if (file == 1 || file == 2) {
			if (meeting->outputs[file - 1][0] != status.inode
			    || meeting->outputs[file - 1][1] != ((unsigned long long)status.in_device[0] << 32 | status.in_device[1]))
				return PERTURB_OUTPUT_MOVED;
			offsets[file] = PERTURB_OUTPUT;
		} else if (kind == 0020000u && status.device[0] == 1
			   && ((access & 3) == 0 || PERTURB_SWALLOWS(status.device[1]))) {
			/* /dev/null and its kin: it is only read, or what is written goes nowhere */
		} else if (kind != 0100000u && kind != 0040000u) {
			return PERTURB_CHANNEL;
		} else if ((access & 3) != 0) {
			return PERTURB_WRITABLE_FILE;
		} else {
			offsets[file] = __perturb_call(PERTURB_LSEEK, file, 0, 1, 0, 0);
		}
	}
	return 0;
}

/* Why no copy of this process can be made here, or 0. Where each open file is read goes to `offsets`. */
PERTURB_C unsigned __perturb_danger(long *offsets);
PERTURB_ONCE unsigned __perturb_danger(long *offsets)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	struct __perturb_statx status;
	unsigned reason;
	int shared;

	if (!meeting->pid || meeting->pid != (unsigned)__perturb_call(PERTURB_GETPID, 0, 0, 0, 0, 0))
		return PERTURB_NOT_OURS;
	if (!__perturb_status(-100, "/proc/self/task", &status))
		return PERTURB_NO_PROC;
	if (status.links > 3)
		return PERTURB_THREADS;
	/* Of any kind, ended or not, and left as they are. */
	if (__perturb_call(PERTURB_WAITID, 0, 0, 0, 0x41000005, 0) != -10)
		return PERTURB_CHILDREN;
	if ((reason = __perturb_awaits()) != 0 || (reason = __perturb_open_files(offsets)) != 0)
		return reason;
	shared = __perturb_has_shared_memory();
	return shared < 0 ? PERTURB_NO_PROC : shared ? PERTURB_SHARED_MEMORY : 0;
}

PERTURB_C unsigned long long __perturb_clock(long clock);
PERTURB_ONCE unsigned long long __perturb_clock(long clock)
{
	long time[2] = { 0, 0 };

	__perturb_call(PERTURB_CLOCK_GETTIME, clock, time, 0, 0, 0);
	return (unsigned long long)time[0] * 1000000000u + (unsigned long long)time[1];
}

/* Waits for a copy until it ends or has had its time; the reason to give it up, or 0. */
PERTURB_C unsigned __perturb_watch(long pid, struct __perturb_result *result);
PERTURB_ONCE unsigned __perturb_watch(long pid, struct __perturb_result *result)
{
	unsigned long long limit = result->cpu_us * 1000ull;
	struct __perturb_sheet *sheet = PERTURB_MEETING->sheet;
	unsigned long long deadline, now, used = 0, left;
	unsigned reason = 0;
	struct { int file; short asked, told; } poll;
	long timeout[2], usage[32];
	int status = 0;

	deadline = __perturb_clock(1) + sheet->wall_ns;
	poll.file = (int)__perturb_call(PERTURB_PIDFD_OPEN, pid, 0, 0, 0, 0);
	poll.asked = 1;
	result->end = PERTURB_ENDED;
	for (;;) {
		poll.told = 0;
		/* It cannot have used more than has passed. */
		left = limit > used ? limit - used + 1000000u : 1000000u;
		timeout[0] = (long)(left / 1000000000u);
		timeout[1] = (long)(left % 1000000000u);
		if (poll.file >= 0 && __perturb_call(PERTURB_PPOLL, &poll, 1, timeout, 0, 8) > 0)
			break;
		used = __perturb_clock(~pid << 3 | 2);
		now = __perturb_clock(1);
		if (poll.file < 0)
			reason = PERTURB_NO_COPY;
		else if (used > limit)
			result->end = PERTURB_OUT_OF_CPU;
		else if (now > deadline)
			reason = PERTURB_OUT_OF_TIME;
		if (reason || result->end == PERTURB_OUT_OF_CPU) {
			if (poll.file >= 0)
				__perturb_call(PERTURB_PIDFD_SEND_SIGNAL, poll.file, 9, 0, 0, 0);
			else
				__perturb_call(PERTURB_KILL, pid, 9, 0, 0, 0);
			break;
		}
	}
	/* Of any kind. */
	while (__perturb_call(PERTURB_WAIT4, pid, &status, 0x40000000, usage, 0) == -4) {}
	if (poll.file >= 0)
		__perturb_call(PERTURB_CLOSE, poll.file, 0, 0, 0, 0);
	result->status = (unsigned)status;
	result->cpu_us = (unsigned)((usage[0] + usage[2]) * 1000000 + usage[1] + usage[3]);
	if (!reason && result->end == PERTURB_ENDED && (status & 127) == 31 /* the filter */)
		reason = PERTURB_CALLED_OUT;
	/* Not by us: the machine had no memory left, which may be the fault of others; or a group's copy gave up. */
	if (!reason && result->end == PERTURB_ENDED && (status & 127) == 9)
		reason = PERTURB_NO_COPY;
	return reason;
}

/* Ends a copy that cannot go on, by a signal that nobody can hold off. */
PERTURB_C void __perturb_give_up(void);
PERTURB_ONCE void __perturb_give_up(void)
{
	long pid = (long)PERTURB_MEETING->pid;

	for (;;)
		__perturb_call(PERTURB_TGKILL, pid, pid, 9, 0, 0);
}

/* Takes from a copy all that is ours, save what it can only read. A group's copy keeps its end of the channel. */
PERTURB_C void __perturb_cut_off(int *channel);
PERTURB_ONCE void __perturb_cut_off(int *channel)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	int i;

	if (__perturb_call(PERTURB_MUNMAP, (long)meeting->sheet, meeting->sheet->size, 0, 0, 0) != 0)
		__perturb_give_up();
	meeting->sheet = 0;
	for (i = 0; i < PERTURB_OURS; i++) {
		if (meeting->files_of_ours[i] >= 0)
			__perturb_call(PERTURB_CLOSE, meeting->files_of_ours[i], 0, 0, 0, 0);
		meeting->files_of_ours[i] = -1;
	}
	__perturb_limit_files(~0ul);
	if (channel[0] < 0)
		return;
	__perturb_call(PERTURB_CLOSE, channel[0], 0, 0, 0, 0);
	meeting->channel = (int)__perturb_call(PERTURB_FCNTL, channel[1], 1030, PERTURB_MOST_FILES - 3, 0, 0);
	__perturb_call(PERTURB_CLOSE, channel[1], 0, 0, 0, 0);
	__perturb_identify(meeting->channel, meeting->channel_is);
	if (meeting->channel < 0)
		__perturb_give_up();
}

/* From here on a copy makes only the calls that the filter allows, and signals itself at most. */
PERTURB_C void __perturb_confine(void);
PERTURB_ONCE void __perturb_confine(void)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	struct { unsigned short length; const void *filter; } program;

	program.length = (unsigned short)meeting->filters;
	program.filter = meeting->filter;
	__perturb_call(PERTURB_PRCTL, 38, 1, 0, 0, 0);
	if (__perturb_call(PERTURB_PRCTL, 22, 2, &program, 0, 0) != 0)
		__perturb_give_up();
	if (__perturb_call(PERTURB_MPROTECT, meeting, sizeof *meeting, 1 /* to be read */, 0, 0) != 0)
		__perturb_give_up();
}

/* A copy becomes the mutants of a point that are leaving, and nothing else. */
PERTURB_C void __perturb_become(struct __perturb_file *f, unsigned p, const long *offsets, int *channel);
PERTURB_ONCE void __perturb_become(struct __perturb_file *f, unsigned p, const long *offsets, int *channel)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	struct __perturb_file *other;
	unsigned m, i, count = 0;
	int null = meeting->files_of_ours[PERTURB_NULL];

	meeting->pid = (unsigned)__perturb_call(PERTURB_GETPID, 0, 0, 0, 0, 0);
	meeting->is_mutant = 1;
	/* It dies with the one that waits for it. */
	__perturb_call(PERTURB_PRCTL, 1, 9, 0, 0, 0);
	for (i = 1; i <= 2; i++)
		if (offsets[i] == PERTURB_OUTPUT && __perturb_call(PERTURB_DUP3, null, i, 0, 0, 0) < 0)
			__perturb_give_up();
	/* The value of an instruction is its last four bytes. */
	((unsigned *)(void *)&meeting->filter[meeting->own])[1] = meeting->pid;
	__perturb_cut_off(channel);
	__perturb_confine();
	for (other = meeting->files; other; other = other->next) {
		for (i = 0; i < other->points; i++)
			if (other->state[i])
				other->state[i] = PERTURB_IDLE;
		for (i = 0; i < other->functions; i++)
			if (other->on[i])
				other->on[i] = 0;
	}
	for (m = f->first[p + 1]; m-- > f->first[p];) {
		f->living[m] = f->living[m] == PERTURB_LEAVES;
		if (f->living[m]) {
			f->code = f->codes[m];
			count++;
		}
	}
	f->on[__perturb_function(f, p)] = 1;
	f->state[p] = count == 1 ? PERTURB_ACTIVE : PERTURB_SPLIT;
}

/* Chooses the mutants of a point for the next copy, which are then marked as leaving. How many they are. */
PERTURB_C unsigned __perturb_next(struct __perturb_file *f, unsigned p);
PERTURB_ONCE unsigned __perturb_next(struct __perturb_file *f, unsigned p)
{
	unsigned m, count = 0;

	for (m = f->first[p]; m < f->first[p + 1]; m++)
		count += f->living[m] == PERTURB_LEAVES;
	for (m = f->first[p]; !count && m < f->first[p + 1]; m++)
		if (f->living[m] == PERTURB_ALONE)
			f->living[m] = PERTURB_LEAVES, count = 1;
	return count;
}

/* From now on, mutants of a point with one mark have another. */
PERTURB_C void __perturb_mark(struct __perturb_file *f, unsigned p, unsigned from, unsigned to);
PERTURB_ONCE void __perturb_mark(struct __perturb_file *f, unsigned p, unsigned from, unsigned to)
{
	unsigned m;

	for (m = f->first[p]; m < f->first[p + 1]; m++)
		if (f->living[m] == from)
			f->living[m] = (unsigned char)to;
}

/*
 * Reads which members of a group have left its copy, which has ended, and marks them. Answers 0 if what the copy has
 * written cannot be true: it says so of another than a member, of one twice or of all, or there is a part of an
 * index.
 */
PERTURB_C int __perturb_take_left(struct __perturb_file *f, unsigned p, unsigned count, int channel);
PERTURB_ONCE int __perturb_take_left(struct __perturb_file *f, unsigned p, unsigned count, int channel)
{
	unsigned left[32], i;
	long n;

	/* It does not wait. The end of the channel is 0 if the copy has closed its own, or 11 if there is nothing. */
	while ((n = __perturb_call(PERTURB_READ, channel, left, sizeof left, 0, 0)) > 0) {
		if (n % (long)sizeof *left != 0)
			return 0;
		for (i = 0; i < (unsigned)n / sizeof *left; i++) {
			if (left[i] < f->first[p] || left[i] >= f->first[p + 1] || f->living[left[i]] != PERTURB_LEAVES)
				return 0;
			f->living[left[i]] = PERTURB_HAS_LEFT;
			if (--count == 0)
				return 0;
		}
	}
	return n == 0 || n == -11;
}

/* Notes what became of the mutants of a point that left in the last copy, or why there is none. */
PERTURB_C void __perturb_end(struct __perturb_file *f, unsigned p, unsigned reason, struct __perturb_result *ended);
PERTURB_ONCE void __perturb_end(struct __perturb_file *f, unsigned p, unsigned reason, struct __perturb_result *ended)
{
	struct __perturb_result *result;
	unsigned m;

	for (m = f->first[p]; m < f->first[p + 1]; m++) {
		if (f->living[m] != PERTURB_LEAVES)
			continue;
		f->living[m] = PERTURB_GONE;
		result = f->results + m;
		/* Another process of the test, which runs as the original, may hold it as well. */
		if (reason && (!result->held || !ended))
			result->held = reason;
		else if (!result->held)
			*result = *ended;
	}
}

/* A pair of sockets, which exec closes, and which nobody waits for. */
PERTURB_C int __perturb_open_channel(int *channel);
PERTURB_ONCE int __perturb_open_channel(int *channel)
{
	return __perturb_call(PERTURB_SOCKETPAIR, 1, 1 | 02000000 | 04000, 0, channel, 0) == 0;
}

/* Makes one copy for the mutants of a point that are marked as leaving. Some may then need another. Answers 1 in it. */
PERTURB_C int __perturb_copy(struct __perturb_file *f, unsigned p, unsigned count, const long *offsets);
PERTURB_ONCE int __perturb_copy(struct __perturb_file *f, unsigned p, unsigned count, const long *offsets)
{
	struct __perturb_result ended;
	unsigned m, i, reason, is_true = 1;
	int channel[2] = { -1, -1 };
	long pid;

	if (count > 1 && !__perturb_open_channel(channel)) {
		__perturb_mark(f, p, PERTURB_LEAVES, PERTURB_ALONE);
		return 0;
	}
	ended.end = ended.status = ended.held = ended.cpu_us = 0;
	for (m = f->first[p]; m < f->first[p + 1]; m++)
		if (f->living[m] == PERTURB_LEAVES && f->results[m].cpu_us > ended.cpu_us)
			ended.cpu_us = f->results[m].cpu_us;
	/* With no signal when it ends. */
	pid = __perturb_call(PERTURB_CLONE, 0, 0, 0, 0, 0);
	if (pid == 0) {
		__perturb_become(f, p, offsets, channel);
		return 1;
	}
	if (channel[1] >= 0)
		__perturb_call(PERTURB_CLOSE, channel[1], 0, 0, 0, 0);
	reason = pid < 0 ? PERTURB_NO_COPY : __perturb_watch(pid, &ended);
	for (i = 0; i < PERTURB_MOST_FILES; i++)
		if (offsets[i] >= 0)
			__perturb_call(PERTURB_LSEEK, i, offsets[i], 0, 0, 0);
	if (channel[0] >= 0) {
		is_true = pid < 0 || (reason != PERTURB_NO_COPY && __perturb_take_left(f, p, count, channel[0]));
		__perturb_call(PERTURB_CLOSE, channel[0], 0, 0, 0, 0);
	}
	if (is_true)
		__perturb_end(f, p, reason, &ended);
	__perturb_mark(f, p, PERTURB_LEAVES, PERTURB_ALONE);
	__perturb_mark(f, p, PERTURB_HAS_LEFT, is_true ? PERTURB_LEAVES : PERTURB_ALONE);
	return 0;
}

/* The mutants of a point that are marked as leaving do so, unless there is a reason against it. Answers 1 in a copy. */
PERTURB_C int __perturb_leave(struct __perturb_file *f, unsigned p, unsigned reason, const long *offsets);
PERTURB_ONCE int __perturb_leave(struct __perturb_file *f, unsigned p, unsigned reason, const long *offsets)
{
	unsigned count;

	if (reason)
		__perturb_end(f, p, reason, 0);
	/* Each copy decides one mutant at least, or is the last for a group: there are at most two for each mutant. */
	while ((count = __perturb_next(f, p)) != 0)
		if (__perturb_copy(f, p, count, offsets))
			return 1;
	return 0;
}

/* When the last mutant of a point has left, the point is idle, and then maybe the function plain. */
PERTURB_C void __perturb_settle(struct __perturb_file *f, unsigned p);
PERTURB_ONCE void __perturb_settle(struct __perturb_file *f, unsigned p)
{
	unsigned m, function, i;

	for (m = f->first[p]; m < f->first[p + 1]; m++)
		if (f->living[m])
			return;
	f->state[p] = PERTURB_IDLE;
	function = __perturb_function(f, p);
	for (i = f->points_of[function]; i < f->points_of[function + 1]; i++)
		if (f->state[i])
			return;
	f->on[function] = 0;
}

/*
 * The members of a group that are marked as leaving leave its copy, which says so to the original and goes on as the
 * others. It must not go on if it cannot say so. The last member needs no channel.
 */
PERTURB_C void __perturb_drop(struct __perturb_file *f, unsigned p);
PERTURB_ONCE void __perturb_drop(struct __perturb_file *f, unsigned p)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	unsigned left[32], m, n = 0, living = 0;
	unsigned long long which[2];
	long size;

	/* The program may have put another file in its place. */
	__perturb_identify(meeting->channel, which);
	if (which[0] != meeting->channel_is[0] || which[1] != meeting->channel_is[1])
		__perturb_give_up();
	for (m = f->first[p]; m < f->first[p + 1]; m++) {
		living += f->living[m] == PERTURB_LIVES;
		if (f->living[m] == PERTURB_LEAVES) {
			f->living[m] = PERTURB_GONE;
			left[n++] = m;
		}
		if (n == sizeof left / sizeof *left || (n && m + 1 == f->first[p + 1])) {
			size = (long)(n * sizeof *left);
			if (__perturb_call(PERTURB_WRITE, meeting->channel, left, size, 0, 0) != size)
				__perturb_give_up();
			n = 0;
		}
	}
	if (living > 1)
		return;
	__perturb_call(PERTURB_CLOSE, meeting->channel, 0, 0, 0, 0);
	f->state[p] = PERTURB_ACTIVE;
}

/* How a group's copy goes on at its point: as the first member. Others that would go on in another way leave it. */
PERTURB_C unsigned __perturb_go_on(PERTURB_HERE, __perturb_valuer valuer, const void *operands);
PERTURB_ONCE unsigned __perturb_go_on(PERTURB_HERE, __perturb_valuer valuer, const void *operands)
{
	unsigned m = f->first[p], end = f->first[p + 1], has_left = 0;
	struct __perturb_value ours, its;

	while (m < end && !f->living[m])
		m++;
	/* The program has written over our tables. */
	if (m == end)
		__perturb_give_up();
	f->code = f->codes[m++];
	ours.high = its.high = 0;
	ours.apart = 0;
	valuer(&ours, f->code, operands);
	for (; m < end; m++) {
		if (!f->living[m])
			continue;
		its.apart = 0;
		valuer(&its, f->codes[m], operands);
		if (!ours.apart && !its.apart && its.low == ours.low && its.high == ours.high)
			continue;
		if (!ours.apart && !its.apart && PERTURB_WAITS(d, p)) {
			d->differ |= 1ull << (p - d->first);
			continue;
		}
		f->living[m] = PERTURB_LEAVES;
		has_left = 1;
	}
	if (has_left)
		__perturb_drop(f, p);
	return f->code;
}

/*
 * The code that this process goes on with, 0 for the original. In a decision, mutants with another value may wait for
 * what it comes to.
 */
PERTURB_C unsigned __perturb_split(PERTURB_HERE, __perturb_valuer valuer, const void *operands);
PERTURB_ONCE unsigned __perturb_split(PERTURB_HERE, __perturb_valuer valuer, const void *operands)
{
	unsigned m, end = f->first[p + 1], n, has_left = 0, reason = 0;
	struct __perturb_value ours, its, other;
	long offsets[PERTURB_MOST_FILES];

	if (PERTURB_MEETING->is_mutant)
		return __perturb_go_on(f, p, d, valuer, operands);
	ours.high = its.high = other.high = 0;
	ours.apart = its.apart = other.apart = 0;
	valuer(&ours, 0, operands);
	for (m = f->first[p]; m < end; m++) {
		if (!f->living[m])
			continue;
		its.apart = 0;
		valuer(&its, f->codes[m], operands);
		if (!its.apart && its.low == ours.low && its.high == ours.high)
			continue;
		if (!its.apart && PERTURB_WAITS(d, p)) {
			d->differ |= 1ull << (p - d->first);
			continue;
		}
		f->living[m] = PERTURB_LEAVES;
		for (n = m + 1; n < end && !its.apart; n++) {
			if (!f->living[n])
				continue;
			other.apart = 0;
			valuer(&other, f->codes[n], operands);
			if (!other.apart && other.low == its.low && other.high == its.high)
				f->living[n] = PERTURB_LEAVES;
		}
		/* Nothing happens between the copies of one visit: one look is enough. */
		if (!has_left)
			reason = __perturb_danger(offsets);
		has_left = 1;
		if (__perturb_leave(f, p, reason, offsets)) {
			if (d)
				d->differ = 0;
			return f->code;
		}
	}
	if (has_left)
		__perturb_settle(f, p);
	return 0;
}

/*
 * Mutants for which a decision comes to another truth than for this process are marked as leaving, and do so. Answers
 * 1 in a copy for some of them.
 */
PERTURB_C int __perturb_part_ways(struct __perturb_decision *d);
PERTURB_ONCE int __perturb_part_ways(struct __perturb_decision *d)
{
	unsigned p, m, has_looked = 0, reason = 0;
	long offsets[PERTURB_MOST_FILES];
	struct __perturb_file *f = d->f;

	for (p = d->first; d->differ; p++, d->differ >>= 1) {
		if (!(d->differ & 1u) || f->state[p] != PERTURB_SPLIT)
			continue;
		for (m = f->first[p]; m < f->first[p + 1] && f->living[m] != PERTURB_LEAVES; m++) {}
		if (m == f->first[p + 1])
			continue;
		if (PERTURB_MEETING->is_mutant) {
			__perturb_drop(f, p);
			continue;
		}
		if (!has_looked)
			reason = __perturb_danger(offsets);
		has_looked = 1;
		if (__perturb_leave(f, p, reason, offsets))
			return 1;
		__perturb_settle(f, p);
	}
	return 0;
}

/* Where an alternative differs whatever it comes to. */
PERTURB_C void __perturb_apart(struct __perturb_value *value, unsigned code, const void *operands);
PERTURB_ONCE void __perturb_apart(struct __perturb_value *value, unsigned code, const void *operands)
{
	(void)operands;
	value->low = code;
	value->apart = code != 0;
}
