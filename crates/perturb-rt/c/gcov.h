/*
 * gcov.h: tells whether gcov's counts are whole.
 *
 * gcov writes what it has counted when a process comes to a regular end. One that is killed, aborts or calls _exit
 * writes nothing, and what it executed looks as if nobody had. So each process notes its beginning and its end in a
 * file beside the counts: where there are not as many ends as beginnings, something is missing.
 *
 * It is included before every file of a build for gcov, under the same rules as perturb.h. Above it stands the
 * definition of PERTURB_GCOV_FOLDER: where the counts go, as a text.
 */
#if !defined(PERTURB_GCOV_H) && !defined(__ASSEMBLER__) && defined(__linux__) && __STDC_HOSTED__
#pragma GCC system_header
#define PERTURB_GCOV_H

#ifdef __cplusplus
#define PERTURB_GCOV_C extern "C"
#else
#define PERTURB_GCOV_C extern
#endif
#define PERTURB_GCOV_ONCE \
	__attribute__((__weak__, __visibility__("hidden"), __unused__, __no_profile_instrument_function__))

PERTURB_GCOV_C char *__perturb_gcov_getenv(const char *) __asm__("getenv");
PERTURB_GCOV_C int __perturb_gcov_open(const char *, int, ...) __asm__("open");
PERTURB_GCOV_C long __perturb_gcov_write(int, const void *, unsigned long) __asm__("write");
PERTURB_GCOV_C int __perturb_gcov_close(int) __asm__("close");
PERTURB_GCOV_C int *__perturb_gcov_errno(void) __asm__("__errno_location");
PERTURB_GCOV_C void __perturb_gcov_dump(void) __asm__("__gcov_dump");
PERTURB_GCOV_C void __perturb_gcov_reset(void) __asm__("__gcov_reset");

/* glibc keeps pthread_atfork itself out of its shared library; others have no other name for it. */
PERTURB_GCOV_C int __perturb_gcov_at_fork(void (*)(void), void (*)(void), void (*)(void), void *)
	__asm__("__register_atfork") __attribute__((__weak__));
PERTURB_GCOV_C int __perturb_gcov_at_fork_too(void (*)(void), void (*)(void), void (*)(void))
	__asm__("pthread_atfork") __attribute__((__weak__));
PERTURB_GCOV_C void *__perturb_gcov_image __asm__("__dso_handle") __attribute__((__visibility__("hidden")));

PERTURB_GCOV_C unsigned char __perturb_gcov_runs;
PERTURB_GCOV_ONCE unsigned char __perturb_gcov_runs;

/* Appends one byte, which no other process can come between. */
PERTURB_GCOV_C void __perturb_gcov_note(char what);
PERTURB_GCOV_ONCE void __perturb_gcov_note(char what)
{
	static const char name[] = PERTURB_GCOV_FOLDER "/processes";
	char path[8192];
	const char *prefix = __perturb_gcov_getenv("GCOV_PREFIX"), *rest = name;
	unsigned long length = 0;
	int file, before = *__perturb_gcov_errno();

	while (prefix && *prefix && length + sizeof name < sizeof path)
		path[length++] = *prefix++;
	do
		path[length++] = *rest;
	while (*rest++ && length < sizeof path);
	path[sizeof path - 1] = 0;
	file = __perturb_gcov_open(path, 02101 /* O_WRONLY, O_CREAT, O_APPEND */, 0666);
	if (file >= 0) {
		if (__perturb_gcov_write(file, &what, 1) != 1)
			what = 0;
		__perturb_gcov_close(file);
	}
	*__perturb_gcov_errno() = before;
}

PERTURB_GCOV_C void __perturb_gcov_child(void);
PERTURB_GCOV_ONCE void __perturb_gcov_child(void)
{
	__perturb_gcov_note('+');
}

/* Every file has these among its constructors and destructors; the first that runs does it for all of its program. */
PERTURB_GCOV_C void __perturb_gcov_begin(void);
PERTURB_GCOV_ONCE __attribute__((__constructor__)) void __perturb_gcov_begin(void)
{
	if (__perturb_gcov_runs)
		return;
	__perturb_gcov_runs = 1;
	__perturb_gcov_note('+');
	if (__perturb_gcov_at_fork)
		__perturb_gcov_at_fork(0, 0, __perturb_gcov_child, &__perturb_gcov_image);
	else if (__perturb_gcov_at_fork_too)
		__perturb_gcov_at_fork_too(0, 0, __perturb_gcov_child);
}

PERTURB_GCOV_C void __perturb_gcov_end(void);
PERTURB_GCOV_ONCE __attribute__((__destructor__)) void __perturb_gcov_end(void)
{
	if (!__perturb_gcov_runs)
		return;
	__perturb_gcov_runs = 0;
	__perturb_gcov_note('-');
}

/* gcov's own wrappers, which write the counts before another program takes the process over: these note that too. */
#define PERTURB_GCOV_EXEC(name, parameters, arguments) \
	PERTURB_GCOV_C int __perturb_gcov_##name parameters __asm__(#name); \
	PERTURB_GCOV_C int __gcov_##name parameters; \
	PERTURB_GCOV_ONCE int __gcov_##name parameters \
	{ \
		int result, error; \
		__perturb_gcov_note('-'); \
		__perturb_gcov_dump(); \
		result = __perturb_gcov_##name arguments; \
		error = *__perturb_gcov_errno(); \
		__perturb_gcov_reset(); \
		__perturb_gcov_note('+'); \
		*__perturb_gcov_errno() = error; \
		return result; \
	}
PERTURB_GCOV_EXEC(execv, (const char *path, char *const arguments[]), (path, arguments))
PERTURB_GCOV_EXEC(execvp, (const char *path, char *const arguments[]), (path, arguments))
PERTURB_GCOV_EXEC(execve, (const char *path, char *const arguments[], char *const variables[]),
		  (path, arguments, variables))
#endif
