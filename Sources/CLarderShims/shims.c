#include "CLarderShims.h"

#include <pthread.h>
#include <stdatomic.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Read without a call wherever the program is linked as a whole.
_Thread_local unsigned larder_thread_number_or_zero = 0;

// A bit for each number up to 4096 that a thread has; above that numbers are not given out again.
static uint64_t taken[64];
static unsigned beyond = sizeof taken * 8;
static pthread_mutex_t numbers = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key = false;
static atomic_uint highest = 0;

/// Called when a thread with a number ends. What it still does afterwards, as in the destructors of
/// other keys, it does under another number.
static void give_back(void *value) {
  const unsigned number = (unsigned)(uintptr_t)value - 1;
  larder_thread_number_or_zero = 0;
  if (number >= sizeof taken * 8) return;
  pthread_mutex_lock(&numbers);
  taken[number / 64] &= ~((uint64_t)1 << number % 64);
  pthread_mutex_unlock(&numbers);
}

static void make_key(void) { has_key = pthread_key_create(&key, give_back) == 0; }

unsigned larder_number_thread(void) {
  pthread_once(&once, make_key);
  pthread_mutex_lock(&numbers);
  unsigned number = 0;
  for (unsigned word = 0; number == 0 && word < sizeof taken / sizeof *taken; word++) {
    if (taken[word] == UINT64_MAX) continue;
    const unsigned bit = (unsigned)__builtin_ctzll(~taken[word]);
    taken[word] |= (uint64_t)1 << bit;
    number = word * 64 + bit + 1;
  }
  if (number == 0) number = ++beyond;
  if (number > atomic_load(&highest)) atomic_store(&highest, number);
  pthread_mutex_unlock(&numbers);
  // Without a key, or memory for it, the number is never given back.
  if (has_key) pthread_setspecific(key, (void *)(uintptr_t)number);
  larder_thread_number_or_zero = number;
  return number;
}

unsigned larder_numbered_threads(void) { return atomic_load(&highest); }

#if defined(__linux__) && defined(__NR_membarrier)
// Of <linux/membarrier.h>, which not every system has.
enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static pthread_once_t registration = PTHREAD_ONCE_INIT;
static bool is_registered = false;

static void register_process(void) {
  is_registered = syscall(__NR_membarrier, REGISTER_PRIVATE_EXPEDITED, 0) == 0
      && syscall(__NR_membarrier, PRIVATE_EXPEDITED, 0) == 0;
}

bool larder_synchronizes_threads(void) {
  pthread_once(&registration, register_process);
  return is_registered;
}

bool larder_synchronize_threads(void) {
  return syscall(__NR_membarrier, PRIVATE_EXPEDITED, 0) == 0;
}
#else
bool larder_synchronizes_threads(void) { return false; }

bool larder_synchronize_threads(void) { return false; }
#endif
