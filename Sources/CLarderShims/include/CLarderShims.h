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

/// As `larder_prefetch`, for a read: a line that another processor holds stays there, too.
static inline __attribute__((always_inline)) void larder_prefetch_shared(const void *address) {
  __builtin_prefetch(address, 0, 3);
}

/// Tells the processor that this is a loop that waits for another one's write.
static inline __attribute__((always_inline)) void larder_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

extern _Thread_local unsigned larder_thread_number_or_zero;

/// Gives the calling thread its number.
unsigned larder_number_thread(void);

/// How many threads have a number: the highest number. At least that of every thread whose
/// `larder_thread_number` has returned.
unsigned larder_numbered_threads(void);

/// A number of the calling thread's own, from 1 up in the order of first calls.
static inline __attribute__((always_inline)) unsigned larder_thread_number(void) {
  unsigned number = larder_thread_number_or_zero;
  return __builtin_expect(number != 0, 1) ? number : larder_number_thread();
}

#endif
