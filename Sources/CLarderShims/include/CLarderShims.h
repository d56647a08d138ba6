#ifndef LARDER_SHIMS_H
#define LARDER_SHIMS_H

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(__linux__)
#include <sys/mman.h>

/// Moves mapped pages to `to`, replacing the mapping there, and adds new pages after them up to
/// `to_bytes`. Wraps `mremap`, which is variadic and so cannot be called from Swift. Addresses and
/// lengths must be multiples of the page size. Returns MAP_FAILED on failure.
static inline void *larder_move_pages(void *from, size_t from_bytes, void *to, size_t to_bytes) {
  return mremap(from, from_bytes, to_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}
#endif

/// Prefetches the cache line at `address` for a write.
/// A hint: any address is allowed, nothing is read.
static inline __attribute__((always_inline)) void larder_prefetch(const void *address) {
  __builtin_prefetch(address, 1, 3);
}

/// Prefetches for a read: a line in another processor's cache stays there, too.
static inline __attribute__((always_inline)) void larder_prefetch_shared(const void *address) {
  __builtin_prefetch(address, 0, 3);
}

/// Prefetches a line for a write that another processor is reading. The oldest x86-64 processors
/// have no such instruction; it does nothing there.
static inline __attribute__((always_inline)) void larder_prefetch_exclusive(const void *address) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
  __builtin_prefetch(address, 1, 3);
#endif
}

/// Hints that the caller spins until another processor writes.
static inline __attribute__((always_inline)) void larder_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

/// Ends the protection of memory that the caller has read or written: stores `value` into `word`
/// after all earlier operations of the caller, including retains of the objects it read.
///
/// Leaving a reader slot and releasing a spin lock must use this instead of `Atomic.store`. Swift's
/// optimiser knows that a store releases no object, so it may move the retain of a value that was
/// read under protection behind it. Another thread can then destroy the value in between. The
/// retain cannot move behind this function, for two independent reasons:
/// - In Swift's intermediate language (SIL) this is a call of a function without a body. Such a
///   call may release any object reachable from memory, so a copy made before the call must own its
///   reference by then.
/// - In LLVM's, where the body is inlined, the assembler statement is a call that may read and
///   write all memory. Passes that move retains step over loads and stores, atomic ones included, and
///   stop at calls. Every other pass keeps the order of two calls with side effects.
/// The processor keeps the order because the store is a C11 release store. It pairs with the
/// sequentially consistent load or exchange through which another thread takes the memory next.
static inline __attribute__((always_inline)) void larder_end_protection(
    void *word, unsigned value) {
  __asm__ volatile("" : : "r"(word) : "memory");
  __atomic_store_n((unsigned *)word, value, __ATOMIC_RELEASE);
}

/// Puts the calling thread to sleep while the word at `place` is `value`, until it is woken, but for
/// 50 microseconds at most.
void larder_sleep_at(void *place, unsigned value);

/// Wakes one of the threads that sleep at `place`.
void larder_wake_at(void *place);

/// Releases a lock: stores 0 into its word, as `larder_end_protection` does, and then wakes a thread
/// if the word behind it is not 0, which a thread sets before it sleeps.
static inline __attribute__((always_inline)) void larder_unlock(void *word) {
  larder_end_protection(word, 0);
  if (__builtin_expect(__atomic_load_n((unsigned *)word + 1, __ATOMIC_RELAXED) != 0, 0)) {
    if (__atomic_exchange_n((unsigned *)word + 1, 0, __ATOMIC_RELAXED)) larder_wake_at(word);
  }
}

/// A bit mask of the bytes equal to `byte` among 12: those of `low` and the lower four of `high`.
static inline __attribute__((always_inline)) unsigned larder_equal_bytes(
    uint64_t low, uint64_t high, uint8_t byte) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_set_epi64x((long long)high, (long long)low);
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)byte))) & 0xFFF;
#else
  const uint64_t ones = 0x0101010101010101, most = 0x7F7F7F7F7F7F7F7F;
  uint64_t first = low ^ (ones * byte), second = high ^ (ones * byte);
  // The top bit of each zero byte, then packed into adjacent bits.
  first = ~(((first & most) + most) | first | most) >> 7;
  second = ~(((second & most) + most) | second | most) >> 7 & 0xFFFFFFFF;
  const uint64_t gather = 0x0102040810204080;
  return (unsigned)((first * gather) >> 56 | (second * gather) >> 56 << 8);
#endif
}

extern _Thread_local unsigned larder_thread_number_or_zero;

/// Assigns a number to the calling thread.
unsigned larder_number_thread(void);

/// The highest thread number: at least that of every thread whose `larder_thread_number` has
/// returned.
unsigned larder_numbered_threads(void);

/// The unique number of the calling thread, from 1 in the order of first calls.
static inline __attribute__((always_inline)) unsigned larder_thread_number(void) {
  unsigned number = larder_thread_number_or_zero;
  return __builtin_expect(number != 0, 1) ? number : larder_number_thread();
}

/// Whether memory that the calling thread allocates has small pages: see `LargeMemory`.
extern _Thread_local bool larder_small_pages;

static inline bool larder_has_small_pages(void) { return larder_small_pages; }

static inline void larder_set_small_pages(bool small) { larder_small_pages = small; }

/// Work of the calling thread, counted in debug builds: see `DebugWork`.
extern _Thread_local long larder_debug_work_count, larder_debug_work_start, larder_debug_work_most;

static inline long larder_debug_work(void) { return larder_debug_work_count; }

static inline void larder_begin_debug_work(void) {
  larder_debug_work_start = larder_debug_work_count;
}

static inline void larder_end_debug_work(void) { larder_debug_work_start = LONG_MAX; }

static inline void larder_add_debug_work(long amount) {
  long work = (larder_debug_work_count += amount) - larder_debug_work_start;
  if (work > larder_debug_work_most) larder_debug_work_most = work;
}

/// The most work since a thread's last `begin`, since the last call.
static inline long larder_take_most_debug_work(void) {
  long most = larder_debug_work_most;
  larder_debug_work_most = 0;
  return most;
}

/// The calling thread's current operation in a cache, for `ForeignCall`; null for none.
void *larder_foreign_call(void);

/// Sets the current operation of the calling thread.
void larder_set_foreign_call(void *call);

#endif
