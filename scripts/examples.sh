#!/usr/bin/env bash
# examples.sh: builds Examples as packages of their own, and runs them. Those that contain the tools
# are built in debug mode, which takes a quarter of the time. NESTED and NESTED_DEBUG are the build
# commands of the Makefile.
set -euo pipefail

say() { printf '\033[1m==> %s\033[0m\n' "$1"; }
# They set variables of the environment.
nested() { eval "$NESTED"' "$@"'; }
debug() { eval "$NESTED_DEBUG"' "$@"'; }
swift="${SWIFT:-swift}"

say 'Building and running Examples'
programs="$(nested --package-path Examples --show-bin-path)"
for name in NewsApp ShopImages Chat UserDirectory; do
  nested --package-path Examples --product "$name"
  "$programs/$name" >/dev/null || { echo "$name failed" >&2; exit 1; }
done
"$swift" test --scratch-path .build-nested-debug --package-path Examples

say 'Adding a cache: Examples/OwnCache'
debug --package-path Examples/OwnCache --product OwnCache
program="$(debug --package-path Examples/OwnCache --show-bin-path)/OwnCache"
results="$(mktemp -d)"
trap 'rm -rf "$results"' EXIT
"$program" run Examples/OwnCache/own-cache.yaml --output "$results/run" --quiet >/dev/null
"$program" list caches | grep -q '^oldest-out  (memory; built-in policy)'
# It decides as FIFO does, so its hits (column 9) must be FIFO's.
awk -F, 'NR > 1 { cells[$4]++; hits[$4] += $9 }
  END { if (cells["fifo"] != 2 || cells["oldest-out"] != 2 || hits["fifo"] != hits["oldest-out"]) {
    print "oldest-out and fifo count differently" > "/dev/stderr"; exit 1 } }' \
  "$results/run/counts.csv"

say 'Adding a policy: Examples/OwnPolicy'
"$swift" test --scratch-path .build-nested-debug --package-path Examples/OwnPolicy
