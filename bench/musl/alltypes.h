/* The only types that musl's <math.h> asks for, as they are wherever floats are computed in their own precision. */
#ifndef BENCH_ALLTYPES_H
#define BENCH_ALLTYPES_H

typedef float float_t;
typedef double double_t;

#endif
