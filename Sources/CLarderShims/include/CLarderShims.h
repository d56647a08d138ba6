#ifndef LARDER_SHIMS_H
#define LARDER_SHIMS_H

#if defined(__linux__)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <sys/mman.h>

/// Moves mapped pages to `to`, in place of what is mapped there, and adds new ones behind them up to
/// `to_bytes`: `mremap`, which takes a variable number of arguments and so cannot be called from
/// Swift. Addresses and lengths must be multiples of the page size. Returns MAP_FAILED on failure.
static inline void *larder_move_pages(void *from, size_t from_bytes, void *to, size_t to_bytes) {
  return mremap(from, from_bytes, to_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}
#endif

/// Asks the processor to bring the cache line at `address` near, for a write soon.
/// A hint: any address is allowed, nothing is read.
static inline __attribute__((always_inline)) void larder_prefetch(const void *address) {
  __builtin_prefetch(address, 1, 3);
}

#endif
