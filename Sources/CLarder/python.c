// A cache whose decisions are methods of a Python object. In C, because every request is a call
// through Python's C interface: 3 million per second, compared with 1 for a loop in Python.
#include "larder.h"

// PY_VECTORCALL_ARGUMENTS_OFFSET: the callee may use the element before the arguments.
static const size_t SPARE = (size_t)1 << (8 * sizeof(size_t) - 1);

// The prefetch distance in requests: first the pointer to the int, then the int.
enum { AHEAD = 8 };

// Calls a method and discards its result. Returns 0 or LARDER_PYTHON_RAISED.
static int64_t call(const larder_python *policy, void *method, void *key, void *size) {
  void *arguments[3] = {0, key, size};
  void *answer = policy->vectorcall(method, arguments + 1, (size ? 2 : 1) | SPARE, 0);
  if (!answer) return LARDER_PYTHON_RAISED;
  policy->release(answer);
  return 0;
}

// Calls the policy to evict an object.
static int64_t evict(const larder_python *policy, larder_gets *gets) {
  void *arguments[1] = {0};
  void *answer = policy->vectorcall(policy->evict, arguments + 1, SPARE, 0);
  if (!answer) return LARDER_PYTHON_RAISED;
  long long victim = policy->from_python(answer);
  if (victim < 1 || (uint64_t)victim > policy->objects
      || policy->resident[victim] == policy->none) {
    policy->forget_error();
    policy->release(policy->resident[0]);
    policy->resident[0] = answer;
    return LARDER_PYTHON_VICTIM;
  }
  policy->release(answer);
  policy->release(policy->resident[victim]);
  policy->retain(policy->none);
  policy->resident[victim] = policy->none;
  gets->used -= policy->sizes ? policy->sizes[victim] : 1;
  gets->evictions++;
  return 0;
}

static int64_t insert(
    const larder_python *policy, uint32_t object, uint32_t size, larder_gets *gets) {
  int64_t status = 0;
  while (!status && gets->used > policy->capacity - size) status = evict(policy, gets);
  if (status) return status;
  void *key = policy->to_python(object);
  void *amount = policy->to_python(size);
  if (key && amount) status = call(policy, policy->insert, key, amount);
  else status = LARDER_PYTHON_RAISED;
  if (amount) policy->release(amount);
  if (status) {
    if (key) policy->release(key);
    return status;
  }
  policy->release(policy->resident[object]);
  policy->resident[object] = key;
  if (policy->sizes) policy->sizes[object] = size;
  gets->used += size;
  gets->bytes_written += size;
  return 0;
}

int64_t larder_python_replay(
    const larder_python *policy, const uint32_t *objects, const uint32_t *sizes, uint64_t count,
    larder_gets *gets) {
  for (uint64_t index = 0; index < count; index++)
    if (objects[index] < 1 || objects[index] > policy->objects) return LARDER_PYTHON_OBJECT;
  for (uint64_t index = 0; index < count; index++) {
    if (index + 2 * AHEAD < count) {
      __builtin_prefetch(&policy->resident[objects[index + 2 * AHEAD]]);
      __builtin_prefetch(policy->resident[objects[index + AHEAD]]);
    }
    uint32_t object = objects[index];
    uint32_t size = policy->sizes && sizes ? sizes[index] : 1;
    void *key = policy->resident[object];
    int64_t status = 0;
    if (key != policy->none) {
      gets->hits++;
      gets->bytes_hit += size;
      status = call(policy, policy->hit, key, 0);
    } else if (size > policy->capacity) {
      gets->rejections++;
    } else {
      status = insert(policy, object, size, gets);
    }
    if (status) return status;
  }
  return 0;
}
