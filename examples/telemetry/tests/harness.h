/**
 * @file harness.h
 * A test framework of one page: CASE() runs a function, CHECK() and
 * CHECK_EQUAL() count what fails and say where, harness_result() is for main.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdio.h>
#include <stdlib.h>

static int harness_cases;
static int harness_failures;

static inline void harness_fail(const char *file, int line, const char *what)
{
    harness_failures++;
    (void)fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

static inline void harness_equal(const char *file, int line, const char *what,
                                 long long actual, long long expected)
{
    if (actual != expected) {
        harness_fail(file, line, what);
        (void)fprintf(stderr, "    is %lld, should be %lld\n", actual, expected);
    }
}

#define CHECK(condition)                                  \
    do {                                                  \
        if (!(condition)) {                               \
            harness_fail(__FILE__, __LINE__, #condition); \
        }                                                 \
    } while (0)

#define CHECK_EQUAL(actual, expected)                           \
    harness_equal(__FILE__, __LINE__, #actual " == " #expected, \
                  (long long)(actual), (long long)(expected))

#define CASE(function)   \
    do {                 \
        harness_cases++; \
        function();      \
    } while (0)

static inline int harness_result(void)
{
    (void)printf("%d cases, %d failures\n", harness_cases, harness_failures);
    return (harness_failures == 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
