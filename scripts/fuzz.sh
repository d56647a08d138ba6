#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET ...]: fuzzes every parser, or the targets, with libFuzzer and the address
# sanitizer. libFuzzer drives the program Fuzz, whose own main function calls it: so the library
# without a main is linked. Optimised, but with assertions. Linux only: Apple's toolchain has none.
set -euo pipefail

swift="${SWIFT:-swift}"
bin="$(dirname "$(readlink -f "$(command -v "$swift")")")"
library="$(find -L "$bin/../lib/swift/clang" "$bin/../lib/clang" \
  -name "libclang_rt.fuzzer_no_main*$(uname -m)*.a" -o -name 'libclang_rt.fuzzer_no_main.a' \
  2>/dev/null | head -n 1 || true)"
[ -n "$library" ] || { echo "the toolchain of $swift has no libFuzzer" >&2; exit 1; }
build=("$swift" build -c release --sanitize=address --scratch-path .build-fuzz --product Fuzz
  -Xswiftc -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table
  -Xswiftc -assert-config -Xswiftc Debug
  -Xlinker --whole-archive -Xlinker "$library" -Xlinker --no-whole-archive -Xlinker -lstdc++)
printf '\033[1m==> Building Tests/Fuzz\033[0m\n'
SWIFT_DETERMINISTIC_HASHING=1 "${build[@]}"
printf '\033[1m==> Fuzzing, %s s a target\033[0m\n' "$1"
exec Tests/Fuzz/run.sh "$("${build[@]}" --show-bin-path)/Fuzz" "$@"
