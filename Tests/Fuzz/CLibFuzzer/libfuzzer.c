#include "libfuzzer.h"

// Null unless libFuzzer's library without a main function is linked.
__attribute__((weak)) int LLVMFuzzerRunDriver(int *argc, char ***argv, larder_fuzz_input input);

// libFuzzer's own mutations, which the function below must call; null unless linked.
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t most);

static larder_fuzz_mutation larder_mutation;

void larder_fuzz_mutate_by(larder_fuzz_mutation mutation) { larder_mutation = mutation; }

// libFuzzer finds this function by its name.
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t most, unsigned seed) {
  if (larder_mutation && seed & 1) {
    size_t changed = larder_mutation(bytes, count, most, seed >> 1);
    if (changed > 0) return changed;
  }
  return LLVMFuzzerMutate ? LLVMFuzzerMutate(bytes, count, most) : count;
}

int larder_fuzz_run(int *argc, char ***argv, larder_fuzz_input input) {
  return LLVMFuzzerRunDriver ? LLVMFuzzerRunDriver(argc, argv, input) : -1;
}
