/* musl's sources expect these of their own <features.h>. All else is the host's, so that tests may include what they like. */
#ifndef BENCH_FEATURES_H
#define BENCH_FEATURES_H

#include_next <features.h>

#define hidden __attribute__((__visibility__("hidden")))
#define weak_alias(old, new) extern __typeof(old) new __attribute__((__weak__, __alias__(#old)))

#endif
