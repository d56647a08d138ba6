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

/// As `larder_prefetch`, for a line that another processor reads and that is written next: the
/// compiler has no such instruction for the oldest processors of x86-64, on which it does nothing.
static inline __attribute__((always_inline)) void larder_prefetch_exclusive(const void *address) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
  __builtin_prefetch(address, 1, 3);
#endif
}

/// Tells the processor that this is a loop that waits for another one's write.
static inline __attribute__((always_inline)) void larder_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

/// Ends the protection of memory that the caller has read or written: stores `value` into `word`
/// after everything that the caller did before, including retains of the objects it read.
///
/// Whoever leaves a reader slot or releases a spin lock must use this instead of `Atomic.store`. Swift's
/// optimiser knows that a store releases no object, so it may move the retain of a value that was
/// read under protection behind it. Another thread can then destroy the value in between. The
/// retain cannot move behind this function, for two independent reasons:
/// - In Swift's intermediate language (SIL) this is a call of a function without a body. Such a call
///   may release any object reachable from memory, so a copy made before it owns its reference
///   before it.
/// - In LLVM's, where the body is inlined, the assembler statement is a call that may read and write
///   all memory. Passes that move retains step over loads and stores, atomic ones included, and
///   stop at calls. Every other pass keeps the order of two calls with side effects.
/// The processor keeps the order because the store is a C11 release store. It pairs with the
/// sequentially consistent load or exchange through which another thread takes the memory next.
static inline __attribute__((always_inline)) void larder_end_protection(
    void *word, unsigned value) {
  __asm__ volatile("" : : "r"(word) : "memory");
  __atomic_store_n((unsigned *)word, value, __ATOMIC_RELEASE);
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
