#include "CLarderShims.h"

#include <stdatomic.h>

// Read without a call in statically linked programs.
_Thread_local unsigned larder_thread_number_or_zero = 0;

static atomic_uint numbered = 0;

unsigned larder_number_thread(void) {
  larder_thread_number_or_zero = atomic_fetch_add(&numbered, 1) + 1;
  return larder_thread_number_or_zero;
}

unsigned larder_numbered_threads(void) { return atomic_load(&numbered); }

static _Thread_local void *foreign_call = 0;

void *larder_foreign_call(void) { return foreign_call; }

void larder_set_foreign_call(void *call) { foreign_call = call; }
