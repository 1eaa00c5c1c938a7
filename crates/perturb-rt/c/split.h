/*
 * split.h: one run of a test for many mutants.
 *
 * The program runs as the original. At a point where living mutants would go on with another value it makes a copy of
 * itself for each such value, waits until the copy has come to its end as those mutants, notes how, and goes on as if
 * nothing had been. A copy that stands for several mutants splits again where they part.
 *
 * A copy must not be seen: not by the original, not by another copy, not by anything outside. What a copy would share with
 * the original (files open for writing, pipes, shared memory, timers, threads, children) is looked for before every copy;
 * what it might do to others later on it cannot do, since a filter for system calls ends it first. In both cases the sheet
 * says so, and the mutant has to be executed in another way.
 *
 * All calls go to the kernel directly: what a test replaces of the C library, and `errno`, are not touched. The numbers
 * of the calls and the filter come with the sheet; where the program is for another machine there is no splitting.
 */
#define PERTURB_SHEET_MAGIC 0x50525453u
#define PERTURB_SHEET_VERSION 1u
#define PERTURB_MOST_FILES 48

/* The calls, in the order of the sheet. */
enum {
	PERTURB_GETPID, PERTURB_GETSID, PERTURB_FCNTL, PERTURB_STATX, PERTURB_LSEEK, PERTURB_OPENAT, PERTURB_PREAD, PERTURB_CLOSE,
	PERTURB_DUP3, PERTURB_CLONE, PERTURB_WAIT4, PERTURB_WAITID, PERTURB_PIDFD_OPEN, PERTURB_PIDFD_SEND_SIGNAL, PERTURB_PPOLL,
	PERTURB_CLOCK_GETTIME, PERTURB_GETITIMER, PERTURB_PRCTL, PERTURB_PRLIMIT, PERTURB_KILL, PERTURB_MUNMAP, PERTURB_SIGPENDING,
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
	PERTURB_TOO_DEEP, PERTURB_NO_COPY, PERTURB_NO_PROC, PERTURB_SIGNAL
};

struct __perturb_sheet {
	unsigned magic, version, files, size;
	unsigned pointer;                   /* its size in the programs that this is for */
	unsigned filter, filters;           /* where, and how many instructions */
	unsigned claimed;                   /* the process that splits */
	unsigned progress;                  /* copies begun and ended */
	unsigned deepest;                   /* how many copies of copies there may be at the same time */
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

/* What all instrumented parts of one process share, the program and its libraries: at a place that they all know. */
struct __perturb_meeting {
	unsigned magic;
	unsigned pid;                       /* of this process if it may split */
	unsigned depth;
	unsigned is_mutant;                 /* the original is not among those that it stands for */
	int null;                           /* the null device, open for writing */
	int maps, timers;                   /* files that tell about this process; open only in the original */
	int spare;
	unsigned long long outputs[2][2];   /* what standard output and error were at the start */
	unsigned long limit[2];             /* how many files the program may have open, where it does not split */
	struct __perturb_sheet *sheet;
	struct __perturb_file *files;
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
	__perturb_raw((long)PERTURB_MEETING->sheet->calls[WHICH], (long)(A), (long)(B), (long)(C), (long)(D), (long)(E), 0)

PERTURB_C int __perturb_status(int file, const char *path, struct __perturb_statx *status);
PERTURB_ONCE int __perturb_status(int file, const char *path, struct __perturb_statx *status)
{
	return __perturb_call(PERTURB_STATX, file, path, 0x1000 /* of the file itself */, 0x7ff, status) == 0;
}

PERTURB_C void __perturb_note_outputs(void);
PERTURB_ONCE void __perturb_note_outputs(void)
{
	struct __perturb_statx status;
	int i;

	for (i = 0; i < 2; i++) {
		status.inode = 0;
		__perturb_status(i + 1, "", &status);
		PERTURB_MEETING->outputs[i][0] = status.inode;
		PERTURB_MEETING->outputs[i][1] = (unsigned long long)status.in_device[0] << 32 | status.in_device[1];
	}
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
 * Whether the end of this process is the end of the test. Its cell has made it the leader of a session, and to die with the
 * cell; no other process that the test starts is both.
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

/*
 * What a file about this process says, from an offset on. The original has it open; for a copy it would be about the
 * original, so a copy opens its own.
 */
PERTURB_C long __perturb_tell(int file, const char *path, char *buffer, long size, long offset);
PERTURB_ONCE long __perturb_tell(int file, const char *path, char *buffer, long size, long offset)
{
	long own = file, n;

	if (PERTURB_MEETING->is_mutant || file < 0)
		own = __perturb_call(PERTURB_OPENAT, -100, path, 0, 0, 0);
	if (own < 0)
		return -1;
	n = __perturb_call(PERTURB_PREAD, own, buffer, size, offset, 0);
	if (own != file)
		__perturb_call(PERTURB_CLOSE, own, 0, 0, 0, 0);
	return n;
}

/* A program of the test reads its sheet. Only the one whose end is the end of the test may split. */
PERTURB_C int __perturb_meet(const char *path);
PERTURB_ONCE int __perturb_meet(const char *path)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	struct __perturb_sheet *sheet;
	long place;

	/* Private, anonymous, here or nowhere. */
	place = __perturb_raw(PERTURB_MMAP, (long)meeting, sizeof *meeting, 3, 0x100022, -1, 0);

	if (place == -17)       /* another part of the process was here first */
		return meeting->magic == PERTURB_SHEET_MAGIC;
	if (place != (long)meeting)
		return 0;
	sheet = (struct __perturb_sheet *)__perturb_map(path, PERTURB_SHEET_MAGIC, PERTURB_SHEET_VERSION);
	if (!sheet || sheet->pointer != sizeof(void *))
		return 0;
	meeting->sheet = sheet;
	meeting->magic = PERTURB_SHEET_MAGIC;
	if (sheet->claimed || !__perturb_is_first())
		return 1;
	if (__perturb_call(PERTURB_PRLIMIT, 0, 7, 0, meeting->limit, 0) != 0 || !__perturb_limit_files(PERTURB_MOST_FILES))
		return 1;
	__perturb_note_outputs();
	meeting->null = __perturb_open_high("/dev/null", 1);
	meeting->maps = __perturb_open_high("/proc/self/maps", 0);
	meeting->timers = __perturb_open_high("/proc/self/timers", 0);
	if (meeting->null < 0)
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
	int column = 0, can_write = 0, found = 0;

	/* `start-end rwxs …`: columns are the start, the end, and then one for each letter. */
	while ((n = __perturb_tell(PERTURB_MEETING->maps, "/proc/self/maps", buffer, sizeof buffer, offset)) > 0) {
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
	i = __perturb_tell(PERTURB_MEETING->timers, "/proc/self/timers", &byte, 1, 0);
	return i < 0 ? PERTURB_NO_PROC : i > 0 ? PERTURB_TIMER : 0;
}

/*
 * A mutant may read what lies on the stack and nobody wrote: what we leave there should be nothing special. As a floating
 * number -1 would be none at all, these are next to zero.
 */
#define PERTURB_NO_OFFSET (-0x7fffffffffffffffl - 1)
#define PERTURB_OUTPUT (PERTURB_NO_OFFSET + 1)

/* Whether a copy could share what the process has open. Where each file is read goes to `offsets`. */
PERTURB_C unsigned __perturb_open_files(long *offsets);
PERTURB_ONCE unsigned __perturb_open_files(long *offsets)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	struct __perturb_statx status;
	unsigned long limit[2];
	unsigned kind;
	long access;
	int file;

	/* The program may have asked for more than can be looked at. */
	if (__perturb_call(PERTURB_PRLIMIT, 0, 7, 0, limit, 0) != 0 || limit[0] > PERTURB_MOST_FILES)
		return PERTURB_CHANNEL;
	for (file = 0; file < PERTURB_MOST_FILES; file++) {
		offsets[file] = PERTURB_NO_OFFSET;
		access = __perturb_call(PERTURB_FCNTL, file, 3, 0, 0, 0);
		if (access < 0 && file == meeting->null)
			return PERTURB_NO_COPY;
		if (access < 0 || file == meeting->maps || file == meeting->timers)
			continue;
		if (!__perturb_status(file, "", &status))
			return PERTURB_CHANNEL;
		kind = status.mode & 0170000u;
		if (file == 1 || file == 2) {
			if (meeting->outputs[file - 1][0] != status.inode
			    || meeting->outputs[file - 1][1] != ((unsigned long long)status.in_device[0] << 32 | status.in_device[1]))
				return PERTURB_OUTPUT_MOVED;
			offsets[file] = PERTURB_OUTPUT;
		} else if (kind == 0020000u && status.device[0] == 1) {
			/* /dev/null and its kin */
		} else if (file == meeting->null) {
			return PERTURB_NO_COPY;
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
	if (meeting->depth >= meeting->sheet->deepest)
		return PERTURB_TOO_DEEP;
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
	unsigned progress = sheet->progress, reason = 0;
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
		else if (sheet->progress != progress)
			progress = sheet->progress, deadline = now + sheet->wall_ns;
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
	/* Not by us: the machine had no memory left, which may be the fault of others. */
	if (!reason && result->end == PERTURB_ENDED && (status & 127) == 9)
		reason = PERTURB_NO_COPY;
	return reason;
}

/* A copy becomes the mutants of a point that are leaving (2 in `living`), and nothing else. */
PERTURB_C void __perturb_become(struct __perturb_file *f, unsigned p, const long *offsets);
PERTURB_ONCE void __perturb_become(struct __perturb_file *f, unsigned p, const long *offsets)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	struct { unsigned short length; const void *filter; } program;
	struct __perturb_file *other;
	unsigned m, i, count = 0;

	for (other = meeting->files; other; other = other->next) {
		for (i = 0; i < other->points; i++)
			if (other->state[i])
				other->state[i] = PERTURB_IDLE;
		for (i = 0; i < other->functions; i++)
			if (other->on[i])
				other->on[i] = 0;
	}
	for (m = f->first[p]; m < f->first[p + 1]; m++) {
		f->living[m] = f->living[m] == 2;
		if (f->living[m]) {
			f->code = f->codes[m];
			count++;
		}
	}
	f->on[__perturb_function(f, p)] = 1;
	f->state[p] = count == 1 ? PERTURB_ACTIVE : PERTURB_SPLIT;
	/* It dies with the one that waits for it. */
	__perturb_call(PERTURB_PRCTL, 1, 9, 0, 0, 0);
	/* A copy of a copy has what follows from that. */
	if (!meeting->is_mutant) {
		for (i = 1; i <= 2; i++)
			if (offsets[i] == PERTURB_OUTPUT)
				__perturb_call(PERTURB_DUP3, meeting->null, i, 0, 0, 0);
		if (count > 1)
			__perturb_note_outputs();
		program.length = (unsigned short)meeting->sheet->filters;
		program.filter = (const char *)meeting->sheet + meeting->sheet->filter;
		__perturb_call(PERTURB_PRCTL, 38, 1, 0, 0, 0);
		if (__perturb_call(PERTURB_PRCTL, 22, 2, &program, 0, 0) != 0)
			__perturb_call(PERTURB_KILL, (long)meeting->pid, 31, 0, 0, 0);
	}
	meeting->is_mutant = 1;
	meeting->depth++;
	/* One mutant splits no more: what it writes where it should not must not reach the sheet. */
	if (count == 1 && __perturb_limit_files(~0ul))
		__perturb_call(PERTURB_MUNMAP, (long)meeting->sheet, (long)meeting->sheet->size, 0, 0, 0);
}

/*
 * The mutants of a point that are marked with 2 go their own way, unless there is a reason against it. Answers 1 in the copy
 * that does.
 */
PERTURB_C int __perturb_leave(struct __perturb_file *f, unsigned p, unsigned reason, const long *offsets);
PERTURB_ONCE int __perturb_leave(struct __perturb_file *f, unsigned p, unsigned reason, const long *offsets)
{
	struct __perturb_meeting *meeting = PERTURB_MEETING;
	struct __perturb_result ended, *result;
	unsigned m;
	long pid;
	int i, is_seen;

	ended.end = ended.status = ended.held = ended.cpu_us = 0;
	for (m = f->first[p]; m < f->first[p + 1]; m++)
		if (f->living[m] == 2 && f->results[m].cpu_us > ended.cpu_us)
			ended.cpu_us = f->results[m].cpu_us;
	is_seen = reason != 0;
	if (!reason) {
		meeting->sheet->progress++;
		/* With no signal when it ends. */
		pid = __perturb_call(PERTURB_CLONE, 0, 0, 0, 0, 0);
		if (pid == 0) {
			meeting->pid = (unsigned)__perturb_call(PERTURB_GETPID, 0, 0, 0, 0, 0);
			__perturb_become(f, p, offsets);
			return 1;
		}
		reason = pid < 0 ? PERTURB_NO_COPY : __perturb_watch(pid, &ended);
		for (i = 0; i < PERTURB_MOST_FILES; i++)
			if (offsets[i] >= 0)
				__perturb_call(PERTURB_LSEEK, i, offsets[i], 0, 0, 0);
		meeting->sheet->progress++;
	}
	for (m = f->first[p]; m < f->first[p + 1]; m++) {
		if (f->living[m] != 2)
			continue;
		f->living[m] = 0;
		result = f->results + m;
		/* Another process of the test may be later than a copy; a copy of the copy may have come to its own end. */
		if (is_seen)
			result->held = reason;
		else if (reason)
			result->held = result->held ? result->held : result->end ? 0 : reason;
		else if (!result->end && !result->held)
			*result = ended;
	}
	return 0;
}

/* When the last mutant of a point has left, the point is idle, and then maybe the function plain. One mutant that is left
 * by the others goes on alone. */
PERTURB_C void __perturb_settle(struct __perturb_file *f, unsigned p);
PERTURB_ONCE void __perturb_settle(struct __perturb_file *f, unsigned p)
{
	unsigned m, function, i, living = 0;

	for (m = f->first[p]; m < f->first[p + 1]; m++) {
		if (f->living[m]) {
			f->code = f->codes[m];
			living++;
		}
	}
	if (PERTURB_MEETING->is_mutant && living == 1 && __perturb_limit_files(~0ul))
		f->state[p] = PERTURB_ACTIVE;
	if (living)
		return;
	f->state[p] = PERTURB_IDLE;
	function = __perturb_function(f, p);
	for (i = f->points_of[function]; i < f->points_of[function + 1]; i++)
		if (f->state[i])
			return;
	f->on[function] = 0;
}

/*
 * The code that this process goes on with, 0 for the original: all mutants that it then stands for have the same value.
 * In a decision, those with another value may wait for what it comes to.
 */
PERTURB_C unsigned __perturb_split(PERTURB_HERE, __perturb_valuer valuer, const void *operands);
PERTURB_ONCE unsigned __perturb_split(PERTURB_HERE, __perturb_valuer valuer, const void *operands)
{
	unsigned m = f->first[p], end = f->first[p + 1], n, code = 0, has_left = 0, reason = 0;
	struct __perturb_value ours, its, other;
	long offsets[PERTURB_MOST_FILES];

	if (PERTURB_MEETING->is_mutant) {
		while (!f->living[m])
			m++;
		code = f->codes[m++];
	}
	ours.high = its.high = other.high = 0;
	ours.apart = its.apart = other.apart = 0;
	valuer(&ours, code, operands);
	for (; m < end; m++) {
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
		f->living[m] = 2;
		for (n = m + 1; n < end && !its.apart; n++) {
			if (!f->living[n])
				continue;
			other.apart = 0;
			valuer(&other, f->codes[n], operands);
			if (!other.apart && other.low == its.low && other.high == its.high)
				f->living[n] = 2;
		}
		/* Nothing happens between the copies of one visit: one look is enough. */
		if (!has_left)
			reason = __perturb_danger(offsets);
		has_left = 1;
		if (__perturb_leave(f, p, reason, offsets)) {
			if (d)
				d->differ = 0;
			return f->codes[m];
		}
	}
	if (has_left)
		__perturb_settle(f, p);
	return code;
}

/* Mutants that come to another truth than this process (2 in `living`) leave it. Answers 1 in a copy for which they do. */
PERTURB_C int __perturb_part_ways(struct __perturb_decision *d);
PERTURB_ONCE int __perturb_part_ways(struct __perturb_decision *d)
{
	unsigned p, m, has_looked = 0, reason = 0;
	long offsets[PERTURB_MOST_FILES];
	struct __perturb_file *f = d->f;

	for (p = d->first; d->differ; p++, d->differ >>= 1) {
		if (!(d->differ & 1u) || f->state[p] != PERTURB_SPLIT)
			continue;
		for (m = f->first[p]; m < f->first[p + 1] && f->living[m] != 2; m++) {}
		if (m == f->first[p + 1])
			continue;
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
