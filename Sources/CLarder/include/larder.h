/*
 * larder.h: Larder from C, and from every language that can call C.
 *
 * Link with liblarder (the product LarderC). Every function may be called from any thread.
 *
 * Handles are numbers, never addresses: one that was destroyed, or was never made, is refused and
 * harms nothing. Functions that can fail return LARDER_OK or another status, and then put one line
 * of text into *error, where `error` is not null. Texts that functions give away are UTF-8, end
 * with a zero, and are the caller's to give back with larder_text_free.
 *
 * Options are lines of `name=value`, with the names and values that the command of the same name
 * has behind `--`: "policy=lru,sieve\ncapacity=1%,5%\n". A flag is a name alone. Null stands for no
 * options. What is unknown, given twice or out of range is refused.
 */
#ifndef LARDER_H
#define LARDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when a program that was built with an older header would no longer work. */
#define LARDER_ABI 1

/* What became of a call: the exit codes of the command. */
typedef int32_t larder_status;
enum {
  LARDER_OK = 0,
  LARDER_CHECK_FAILED = 1, /* larder_policy_check: the policy breaks its contract */
  LARDER_MISUSE = 2,       /* the request was wrong; the text says what */
  LARDER_FAULT = 70,       /* the library is at fault */
  LARDER_CANCELLED = 130   /* larder_task_cancel was called */
};

/* A prepared trace; 0 is none. */
typedef uint64_t larder_trace;
/* What a call is at, and the way to stop it; 0 is none. */
typedef uint64_t larder_task;

/* The version of the interface that the library has: compare it with LARDER_ABI. */
int32_t larder_abi(void);
/* The version of Larder, such as "0.1.0". */
char *larder_version(void);
/* Gives a text back. Null is allowed. */
void larder_text_free(char *text);

/* ---- Tasks: pass one to a call, and look at it or stop it from another thread. ---- */

larder_task larder_task_create(void);
/* Asks the call to stop; it returns LARDER_CANCELLED soon after. */
larder_status larder_task_cancel(larder_task task);
/* Requests done so far, and in all (0 where that is not known). Pointers may be null. */
larder_status larder_task_progress(larder_task task, uint64_t *done, uint64_t *total);
larder_status larder_task_destroy(larder_task task);

/* ---- Traces ---- */

/* The type of the elements of a column. */
enum {
  LARDER_INT8 = 1,
  LARDER_INT16 = 2,
  LARDER_INT32 = 3,
  LARDER_INT64 = 4,
  LARDER_UINT8 = 5,
  LARDER_UINT16 = 6,
  LARDER_UINT32 = 7,
  LARDER_UINT64 = 8,
  LARDER_FLOAT32 = 9,
  LARDER_FLOAT64 = 10
};

/* A column of numbers in the caller's memory, which is read during the call and not kept. */
typedef struct {
  const void *values; /* null for a column that is not there */
  int64_t stride;     /* bytes from one element to the next; negative and unaligned are allowed */
  int32_t type;       /* LARDER_INT8 to LARDER_FLOAT64 */
} larder_column;

/* The columns of a trace, all of `count` elements. Only `ids` must be there. */
typedef struct {
  uint64_t count;
  larder_column ids;        /* whole numbers of any size: the same number is the same object */
  larder_column sizes;      /* whole numbers, bytes, 0 to 2^32 - 1 */
  larder_column times;      /* whole numbers, microseconds, not negative */
  larder_column operations; /* 0 get, 1 set, 2 delete, 3 modify, 4 bypass, 5 expire */
  larder_column ttls;       /* whole numbers, seconds, 0 for no limit */
  larder_column costs;      /* numbers, finite and not negative */
} larder_columns;

/* A trace from columns. `name` is its name in results; null for "arrays". */
larder_status larder_trace_from_columns(
    const larder_columns *columns, const char *name, larder_task task, larder_trace *trace,
    char **error);

/* Reads a trace file. `format` as of --format; null to recognise it. */
larder_status larder_trace_open(
    const char *path, const char *format, larder_task task, larder_trace *trace, char **error);

/* Generates a trace: "zipf:objects=1000000:exponent=1". Options: requests, seed, sizes, ttls,
 * operations, rate. */
larder_status larder_trace_generate(
    const char *generator, const char *options, larder_task task, larder_trace *trace,
    char **error);

/* The requests of a share of the objects, above 0 and at most 1, chosen by hash. Results of the
 * sample stand for all of the trace: capacities are those of a cache for all of it. */
larder_status larder_trace_sample(
    larder_trace trace, double rate, uint64_t seed, larder_trace *sample, char **error);

/* Writes the trace in Larder's own format, which opens without parsing. */
larder_status larder_trace_save(larder_trace trace, const char *path, char **error);

/* Requests and distinct objects. Pointers may be null. */
larder_status larder_trace_counts(
    larder_trace trace, uint64_t *requests, uint64_t *objects, char **error);

/* What is known of the trace, as a JSON object. O(requests). */
larder_status larder_trace_info(larder_trace trace, char **json, char **error);

/* Calls that use the trace at the moment end as if it were there. */
larder_status larder_trace_destroy(larder_trace trace);

/* ---- Results ---- */

/* counts.csv, byte for byte that of `larder simulate --csv`. Options: policy, capacity, admission,
 * ignore-size, fetch, bandwidth, servers, no-coalescing, seed, threads. */
larder_status larder_simulate(
    larder_trace trace, const char *options, larder_task task, char **csv, char **error);

/* Curves, byte for byte those of `larder mrc --csv`. Options: policy, capacity, points, unit,
 * ignore-size, method, rate, samples, seed, measure-error, reach, threads. */
larder_status larder_mrc(
    larder_trace trace, const char *options, larder_task task, char **csv, char **error);

/* advice.json, as of `larder advise --json`. Options: capacity, unit, tiers, prices, time-budget,
 * learn, whole, seed, threads, policy, prefix, ignore-size. */
larder_status larder_advise(
    larder_trace trace, const char *options, larder_task task, char **json, char **error);

/* Every policy and bound with its parameters, as a JSON list. */
larder_status larder_policies(char **json, char **error);

/* ---- A policy of the caller's own ---- */

/* What happened since the last call of `apply`: the object in the lower 32 bits, and one of these
 * in the upper ones. Objects are numbered 1, 2, 3 ... in order of first appearance. */
enum {
  LARDER_EVENT_HIT = 0,    /* a resident object is requested */
  LARDER_EVENT_INSERT = 1, /* a missing object is stored */
  LARDER_EVENT_REMOVE = 2, /* an object is deleted or has expired; it may not be resident */
  LARDER_EVENT_REPLACE = 3 /* a resident object's value is replaced, perhaps by another size */
};

/* What a policy is made for. Both buffers stay where they are until `destroy`. */
typedef struct {
  uint64_t capacity;      /* objects, or bytes where `counts_bytes` */
  int32_t counts_bytes;   /* 0 or 1 */
  uint64_t seed;          /* of random choices */
  const uint64_t *events; /* where `apply` finds events */
  const uint32_t *sizes;  /* and the size of each event's object; 1 where objects are counted */
} larder_policy_setup;

/* What gets add up to: see `replay`. Each number is added to. */
typedef struct {
  uint64_t used; /* sum of the sizes of what is resident: kept, not added to */
  uint64_t hits;
  uint64_t bytes_hit;
  uint64_t rejections;
  uint64_t evictions;
  uint64_t bytes_written;
} larder_gets;

/* Callbacks of a policy. They are called from one thread at a time for each instance, from threads
 * of the library, and not after the call that they were given to has returned. The library counts
 * and keeps what is resident; the policy only decides. A negative answer ends the call with
 * LARDER_MISUSE. */
typedef struct {
  void *context; /* handed to each callback */
  /* A policy for an empty cache: its number, from 0. */
  int64_t (*create)(void *context, const larder_policy_setup *setup);
  /* Takes `count` events, in order. Then, where `evict` is 1, gives up one resident object and
   * returns it; otherwise returns 0. */
  int64_t (*apply)(void *context, int64_t policy, uint64_t count, int32_t evict);
  /* Whether an object is resident, 1 or 0. Only larder_policy_check asks. */
  int32_t (*contains)(void *context, int64_t policy, uint32_t object);
  void (*destroy)(void *context, int64_t policy);
  /* Null, or the whole cache in the caller's language, for traces of nothing but gets: one call for
   * thousands of requests, where a call for each decision is slow. For each object, in order: a
   * resident one is a hit. A larger one than the capacity is a rejection. Otherwise evict until it
   * fits, and insert it. `sizes` is null where objects are counted. Returns 0. */
  int64_t (*replay)(
      void *context, int64_t policy, const uint32_t *objects, const uint32_t *sizes,
      uint64_t count, larder_gets *gets);
} larder_policy;

/* As larder_simulate, with the caller's policy, under `name`. Options: capacity, ignore-size,
 * admission, seed. Fetches take no time. */
larder_status larder_policy_simulate(
    larder_trace trace, const larder_policy *policy, const char *name, const char *options,
    larder_task task, char **csv, char **error);

/* Checks the promises that every policy makes: see EvictionPolicy. LARDER_CHECK_FAILED when one is
 * broken, and *error is then what broke and the shortest sequence of calls found that shows it, in
 * several lines. Options: random (it uses the seed), learns (what it learned from an object stays
 * when the object is removed). */
larder_status larder_policy_check(
    const larder_policy *policy, const char *name, const char *options, char **error);

/* ---- For Python: gets replayed by calls of a policy's methods, without ctypes between them ---- */

/* The library is not linked with Python: the functions of Python's C interface that it calls are
 * handed in, and everything that is Python's is a `void *`. */
typedef struct {
  void *(*vectorcall)(void *, void *const *, size_t, void *); /* PyObject_Vectorcall */
  void *(*to_python)(unsigned long long);                     /* PyLong_FromUnsignedLongLong */
  long long (*from_python)(void *);                           /* PyLong_AsLongLong */
  void (*forget_error)(void);                                 /* PyErr_Clear */
  void (*retain)(void *);                                     /* Py_IncRef */
  void (*release)(void *);                                    /* Py_DecRef */
  void *hit;       /* hit(key) */
  void *insert;    /* insert(key, size) */
  void *evict;     /* evict() -> key */
  void *none;      /* None */
  void **resident; /* For each object its number as an int while it is resident, None otherwise.
                    * Element 0 is no object's: see LARDER_PYTHON_VICTIM. */
  uint32_t *sizes; /* For each object its size while it is resident; null to count objects. */
  uint64_t objects;  /* The largest number of an object. */
  uint64_t capacity; /* Objects, or bytes where there are `sizes`. */
} larder_python;

/* What larder_python_replay answers beside LARDER_OK. */
enum {
  LARDER_PYTHON_RAISED = -1, /* a method raised: Python's error is set */
  LARDER_PYTHON_VICTIM = -2, /* evict returned what is not resident: it is in resident[0] */
  LARDER_PYTHON_OBJECT = -3  /* an object is 0 or above `objects` */
};

/* As `replay` of larder_policy. The caller holds Python's lock. */
int64_t larder_python_replay(
    const larder_python *policy, const uint32_t *objects, const uint32_t *sizes, uint64_t count,
    larder_gets *gets);

#ifdef __cplusplus
}
#endif

#endif
