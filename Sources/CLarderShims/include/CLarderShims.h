#ifndef LARDER_SHIMS_H
#define LARDER_SHIMS_H

/// Asks the processor to bring the cache line at `address` near, for a write soon.
/// A hint: any address is allowed, nothing is read.
static inline __attribute__((always_inline)) void larder_prefetch(const void *address) {
  __builtin_prefetch(address, 1, 3);
}

#endif
