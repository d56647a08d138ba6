#include "CLarderShims.h"

#include <stdatomic.h>
#include <time.h>
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__) && __has_include(<os/os_sync_wait_on_address.h>)
#include <os/os_sync_wait_on_address.h>
#define LARDER_HAS_SYNC 1
#endif

// Read without a call in statically linked programs.
_Thread_local unsigned larder_thread_number_or_zero = 0;

static atomic_uint numbered = 0;

unsigned larder_number_thread(void) {
  larder_thread_number_or_zero = atomic_fetch_add(&numbered, 1) + 1;
  return larder_thread_number_or_zero;
}

unsigned larder_numbered_threads(void) { return atomic_load(&numbered); }

_Thread_local bool larder_small_pages;
_Thread_local long larder_debug_work_count, larder_debug_work_start, larder_debug_work_most;

static _Thread_local void *foreign_call = 0;

void *larder_foreign_call(void) { return foreign_call; }

void larder_set_foreign_call(void *call) { foreign_call = call; }

enum { longest_sleep = 50 * 1000 };

void larder_sleep_at(void *place, unsigned value) {
  struct timespec time = {0, longest_sleep};
#if defined(__linux__)
  syscall(SYS_futex, place, FUTEX_WAIT_PRIVATE, value, &time, NULL, 0);
#else
#if defined(LARDER_HAS_SYNC)
  if (__builtin_available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)) {
    os_sync_wait_on_address_with_timeout(
        place, value, 4, OS_SYNC_WAIT_ON_ADDRESS_NONE, OS_CLOCK_MACH_ABSOLUTE_TIME, longest_sleep);
    return;
  }
#endif
  nanosleep(&time, NULL);
#endif
}

void larder_wake_at(void *place) {
#if defined(__linux__)
  syscall(SYS_futex, place, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#elif defined(LARDER_HAS_SYNC)
  if (__builtin_available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)) {
    os_sync_wake_by_address_any(place, 4, OS_SYNC_WAKE_BY_ADDRESS_NONE);
  }
#endif
}
