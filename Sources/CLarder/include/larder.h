/*
 * larder.h: Larder from C, and from every language that can call C.
 *
 * Link with liblarder (the product LarderC). Every function may be called from any thread.
 *
 * Handles are numbers, never addresses: an invalid or destroyed handle is rejected safely.
 * Functions that can fail return LARDER_OK or another status; on failure they store one line of
 * text in *error, unless `error` is null. Returned texts are UTF-8, end with a zero, and must be
 * freed with larder_text_free.
 *
 * Options are lines of `name=value`, with the names and values of the options of the command of the
 * same name: "policy=lru,sieve\ncapacity=1%,5%\n". A flag is a name alone. Null means no options.
 * Options that are unknown, given twice or out of range are rejected.
 */
#ifndef LARDER_H
#define LARDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when programs built with an older header would no longer work. */
#define LARDER_ABI 2

/* The result of a call, with the exit codes of the command. */
typedef int32_t larder_status;
enum {
  LARDER_OK = 0,
  LARDER_CHECK_FAILED = 1, /* larder_policy_check: the policy breaks its contract */
  LARDER_MISUSE = 2,       /* the request was invalid; see the text */
  LARDER_FAULT = 70,       /* the library is at fault */
  LARDER_CANCELLED = 130   /* larder_task_cancel was called */
};

/* A prepared trace; 0 is none. */
typedef uint64_t larder_trace;
/* Reports the progress of a call and cancels it; 0 is none. */
typedef uint64_t larder_task;

/* The interface version of the library; compare it with LARDER_ABI. */
int32_t larder_abi(void);
/* The version of Larder, such as "1.0.0". */
char *larder_version(void);
/* Frees a returned text. Null is allowed. */
void larder_text_free(char *text);

/* ---- Tasks: pass one to a call, and observe or cancel the call from another thread. ---- */

larder_task larder_task_create(void);
/* Cancels the call, which returns LARDER_CANCELLED soon after. */
larder_status larder_task_cancel(larder_task task);
/* Requests done so far, and in total (0 if unknown). Pointers may be null. */
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

/* A column of numbers in the caller's memory, which is read only during the call. */
typedef struct {
  const void *values; /* null for a missing column */
  int64_t stride;     /* bytes from one element to the next; negative and unaligned are allowed */
  int32_t type;       /* LARDER_INT8 to LARDER_FLOAT64 */
} larder_column;

/* The columns of a trace, all of `count` elements. Only `ids` is required. */
typedef struct {
  uint64_t count;
  larder_column ids;        /* whole numbers of any size; equal numbers are one object */
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

/* Reads a trace file. `format` is a name for --format; null to detect the format. */
larder_status larder_trace_open(
    const char *path, const char *format, larder_task task, larder_trace *trace, char **error);

/* Generates a trace: "zipf:objects=1000000:exponent=1". Options: requests, seed, sizes, ttls,
 * operations, rate. */
larder_status larder_trace_generate(
    const char *generator, const char *options, larder_task task, larder_trace *trace,
    char **error);

/* The requests of a share of the objects, above 0 and at most 1, chosen by hash. Results of the
 * sample are estimates for the whole trace: capacities are those of a cache for all objects. */
larder_status larder_trace_sample(
    larder_trace trace, double rate, uint64_t seed, larder_trace *sample, char **error);

/* Writes the trace in Larder's own format, which opens without parsing. */
larder_status larder_trace_save(larder_trace trace, const char *path, char **error);

/* Requests and distinct objects. Pointers may be null. */
larder_status larder_trace_counts(
    larder_trace trace, uint64_t *requests, uint64_t *objects, char **error);

/* Facts about the trace, as a JSON object. O(requests). */
larder_status larder_trace_info(larder_trace trace, char **json, char **error);

/* Calls in progress that use the trace are not affected. */
larder_status larder_trace_destroy(larder_trace trace);

/* ---- Results ---- */

/* counts.csv, equal to the byte to that of `larder simulate --csv`. Options: policy, capacity,
 * admission, ignore-size, fetch (100ms:bandwidth=100MB/s:servers=8), seed, threads. */
larder_status larder_simulate(
    larder_trace trace, const char *options, larder_task task, char **csv, char **error);

/* Curves, equal to the byte to those of `larder mrc --csv`. Options: policy, capacity, points,
 * ignore-size, method (shards:samples=8192), sample, seed, threads. */
larder_status larder_mrc(
    larder_trace trace, const char *options, larder_task task, char **csv, char **error);

/* advice.json, as of `larder advise --json`; the screen that `larder advise` prints, 80 characters
 * wide; and the advice as an HTML element for a page of the caller, without scripts and style
 * sheets. `text` and `html` may be null. Options: capacity, tiers, prices, max-requests,
 * learn (a share, or whole), seed, threads, policy, prefix, ignore-size. */
larder_status larder_advise(
    larder_trace trace, const char *options, larder_task task, char **json, char **text,
    char **html, char **error);

/* Every policy and bound with its parameters, as a JSON list. */
larder_status larder_policies(char **json, char **error);

/* ---- Policies of the caller ---- */

/* An event since the last call of `apply`: the object in the lower 32 bits, and one of these in the
 * upper ones. Objects are numbered 1, 2, 3 ... in order of first appearance. */
enum {
  LARDER_EVENT_HIT = 0,    /* a resident object is requested */
  LARDER_EVENT_INSERT = 1, /* a missing object is stored */
  LARDER_EVENT_REMOVE = 2, /* an object is deleted or has expired; it may not be resident */
  LARDER_EVENT_REPLACE = 3 /* a resident object's value is replaced; its size may change */
};

/* The parameters of a policy. Both buffers stay valid until `destroy`. */
typedef struct {
  uint64_t capacity;      /* objects, or bytes if `counts_bytes` is 1 */
  int32_t counts_bytes;   /* 0 or 1 */
  uint64_t seed;          /* of random choices */
  const uint64_t *events; /* the events for `apply` */
  /* The size of each event's object; 1 if the capacity counts objects. 0 for a removal. */
  const uint32_t *sizes;
} larder_policy_setup;

/* Sums over gets: see `replay`, which adds to each number. */
typedef struct {
  uint64_t used; /* sum of the sizes of resident objects: set, not added to */
  uint64_t hits;
  uint64_t bytes_hit;
  uint64_t rejections;
  uint64_t evictions;
  uint64_t bytes_written;
} larder_gets;

/* Callbacks of a policy. For each instance they are called from one thread at a time, from threads
 * of the library, and only during the call that received them. The library counts and stores
 * resident objects; the policy only decides. A negative result ends the call with
 * LARDER_MISUSE. */
typedef struct {
  void *context; /* passed to each callback */
  /* Creates a policy for an empty cache and returns its number, from 0. */
  int64_t (*create)(void *context, const larder_policy_setup *setup);
  /* Processes `count` events, in order. Then, if `evict` is 1, evicts one resident object and
   * returns it; otherwise returns 0. */
  int64_t (*apply)(void *context, int64_t policy, uint64_t count, int32_t evict);
  /* Returns 1 if an object is resident, else 0. Called by larder_policy_check only. */
  int32_t (*contains)(void *context, int64_t policy, uint32_t object);
  void (*destroy)(void *context, int64_t policy);
  /* Null, or the whole cache in the caller's language, for traces of gets only: one call for
   * thousands of requests, for languages in which a call for each decision is slow. For each
   * object, in order: a resident one is a hit. One larger than the capacity is a rejection.
   * Otherwise evict until it fits, and insert it. `sizes` is null if the capacity counts objects.
   * Returns 0. */
  int64_t (*replay)(
      void *context, int64_t policy, const uint32_t *objects, const uint32_t *sizes,
      uint64_t count, larder_gets *gets);
} larder_policy;

/* Simulates the caller's policy under `name`; the result is that of larder_simulate. Options:
 * capacity, ignore-size, admission, seed. Fetches take no time. */
larder_status larder_policy_simulate(
    larder_trace trace, const larder_policy *policy, const char *name, const char *options,
    larder_task task, char **csv, char **error);

/* Checks the contract of policies: see EvictionPolicy. Returns LARDER_CHECK_FAILED for a violation,
 * which *error then describes in several lines, with the shortest sequence of calls found that
 * reproduces it. Options: random (the policy uses the seed), learns (removing an object does not
 * undo what the policy learned from it). */
larder_status larder_policy_check(
    const larder_policy *policy, const char *name, const char *options, char **error);

/* ---- For Python: gets replayed by direct calls of a policy's methods, without ctypes ---- */

/* The library is not linked with Python: the caller passes the functions of Python's C interface,
 * and every Python object is a `void *`. */
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
  void **resident; /* For each object its number as an int while it is resident, else None.
                    * Element 0 belongs to no object: see LARDER_PYTHON_VICTIM. */
  uint32_t *sizes; /* For each object its size while it is resident; null to count objects. */
  uint64_t objects;  /* The largest number of an object. */
  uint64_t capacity; /* Bytes if `sizes` is not null, else objects. */
} larder_python;

/* Results of larder_python_replay other than LARDER_OK. */
enum {
  LARDER_PYTHON_RAISED = -1, /* a method raised: Python's error is set */
  LARDER_PYTHON_VICTIM = -2, /* evict returned a non-resident object, see resident[0] */
  LARDER_PYTHON_OBJECT = -3  /* an object is 0 or above `objects` */
};

/* Implements `replay` of larder_policy. The caller holds Python's lock. */
int64_t larder_python_replay(
    const larder_python *policy, const uint32_t *objects, const uint32_t *sizes, uint64_t count,
    larder_gets *gets);

#ifdef __cplusplus
}
#endif

#endif
