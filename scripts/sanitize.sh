#!/usr/bin/env bash
# sanitize.sh: runs tests under the address sanitizer (everything that manages memory manually: the
# engine, the caches, execution, reading and writing of traces) and the thread sanitizer (the caches,
# and everything else that uses more than one thread). Left out are tests that insert millions of keys,
# long replays whose counts are pinned and, under the thread sanitizer, which makes them 30 times
# slower, what uses one thread and takes long. Comparisons with naive models make a quarter of their
# rounds.
set -euo pipefail

swift="${SWIFT:-swift}"
execution='LarderHarnessTests\.(Contender|Execution|ObjectVersions|OpenLoop|ValuePattern)'
printf '\033[1m==> Address sanitizer\033[0m\n'
# Leak detection is off: Swift's runtime never frees some allocations. Allocations that are too large
# return null, as they do without sanitizers: a test asks for one.
LARDER_TEST_SHARE=4 ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
  "$swift" test --sanitize=address --scratch-path .build-asan \
  --filter "LarderEngineTests\.|LarderTests\.|$execution" \
  --filter 'LarderTracesTests\..*(Format|File|Writer|Compression|Prepar|Column|NextUse)' \
  --skip 'memoryIsBounded|engineCountsWhatIsPinned|theTableIsTheModels|countsAreTheAuthors'
printf '\033[1m==> Thread sanitizer\033[0m\n'
# It does not know the lock of `Mutex`, and reports a race of what is done under a contended one.
suppressions="$(mktemp)"
trap 'rm -f "$suppressions"' EXIT
echo 'race:parallelMap*EfU_y*EfU0_' >"$suppressions"
TSAN_OPTIONS="allocator_may_return_null=1 suppressions=$suppressions" \
  "$swift" test --sanitize=thread --scratch-path .build-tsan \
  --filter "LarderTests\.|$execution" \
  --filter 'Larder(Harness|Simulation|Workloads)Tests\.(Sweep|SavingPace|WorkloadTraces|WorkloadExecute)' \
  --filter curvesDoNotDependOnThreads \
  --filter 'LarderTracesTests\.(NextUse|FileBytes|FilePieces)' \
  --skip 'EqualsSimulat|MemoryCacheContract|DiskPower|noOperationMovesMuchOfAShard'
