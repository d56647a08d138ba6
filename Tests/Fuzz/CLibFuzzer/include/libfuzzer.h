#ifndef LARDER_LIBFUZZER_H
#define LARDER_LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs one input. 0 lets libFuzzer keep it, -1 excludes it from the corpus.
typedef int (*larder_fuzz_input)(const uint8_t *bytes, size_t count);

/// Mutates an input of `count` bytes in place, up to `most` bytes, by a seed; returns the new
/// count, or 0 to leave it to libFuzzer.
typedef size_t (*larder_fuzz_mutation)(uint8_t *bytes, size_t count, size_t most, unsigned seed);

/// Makes every second mutation with `mutation`.
void larder_fuzz_mutate_by(larder_fuzz_mutation mutation);

/// Runs libFuzzer with the arguments of a program if it is linked (see `make fuzz`); returns -1 in
/// every other build.
int larder_fuzz_run(int *argc, char ***argv, larder_fuzz_input input);

#endif
