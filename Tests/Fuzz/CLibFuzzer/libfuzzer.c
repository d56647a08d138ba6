#include "libfuzzer.h"

// Null unless the library of libFuzzer without a main function is given to the linker.
__attribute__((weak)) int LLVMFuzzerRunDriver(int *argc, char ***argv, larder_fuzz_input input);

int larder_fuzz_run(int *argc, char ***argv, larder_fuzz_input input) {
  return LLVMFuzzerRunDriver ? LLVMFuzzerRunDriver(argc, argv, input) : -1;
}
