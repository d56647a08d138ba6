#!/usr/bin/env bash
# run.sh PROGRAM SECONDS [TARGET ...]: fuzzes each target for SECONDS, and prints a table.
#
# Inputs that libFuzzer keeps go to .build-fuzz/corpus, those that fail to .build-fuzz/findings. With
# MERGE=1 nothing is fuzzed: the inputs of .build-fuzz/corpus that add coverage to Tests/Fuzz/Corpus
# are added to it. Ends with 1 when something was found, and with 2 without doing anything when a
# target is not known.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
program="$1" seconds="$2"
shift 2
work="$(cd "$here/../.." && pwd)/.build-fuzz"
# Without mapfile, which macOS's bash 3.2 lacks.
known=()
while IFS= read -r name; do known+=("$name"); done < <("$program" list)
targets=("${known[@]}")
[ $# -eq 0 ] || targets=("$@")
for target in "${targets[@]}"; do
  [[ " ${known[*]} " == *" $target "* ]] || {
    echo "no target is named $target; there are ${known[*]}" >&2
    exit 2
  }
done

# In memory where that is possible: targets write a file for each input.
memory=/dev/shm
[ -d "$memory" ] && [ -w "$memory" ] || memory="${TMPDIR:-/tmp}"
TMPDIR="$(mktemp -d "$memory/larder-fuzz.XXXXXX")"
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# Leaks are not looked for: Swift's runtime never frees some of what it allocates.
export ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
limits=(-rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=20)

last() { grep -oE "$1" "$2" | tail -n 1 | grep -oE '[0-9]+$' || echo -; }

status=0 cpu_total=0 runs_total=0 found_total=0
TIMEFORMAT='%U %S'
format='%-22s %7s %11s %7s %7s %7s %7s  %s\n'
# shellcheck disable=SC2059
printf "$format" target cpu-s executions per-s cov ft inputs found
for target in "${targets[@]}"; do
  mkdir -p "$work/corpus/$target" "$work/findings/$target" "$work/logs"
  log="$work/logs/${target//\//-}.txt"
  kept="$here/Corpus/$target"
  if [ -n "${MERGE:-}" ]; then
    mkdir -p "$kept"
    "$program" "$target" -merge=1 "${limits[@]}" "$kept" "$work/corpus/$target" >"$log" 2>&1 ||
      { echo "merging $target failed: $log" >&2; status=1; }
    continue
  fi
  folders=("$work/corpus/$target")
  for folder in "$kept" "$here/Regressions/$target"; do
    [ ! -d "$folder" ] || folders+=("$folder")
  done
  found=-
  failed=0
  # To a file: a pipe can hang.
  { time "$program" "$target" "${limits[@]}" -max_total_time="$seconds" -print_final_stats=1 \
    -artifact_prefix="$work/findings/$target/" "${folders[@]}" >"$log" 2>&1 || failed=1; } \
    2>"$TMPDIR/cpu"
  if [ "$failed" -ne 0 ]; then
    found="$(grep -oE 'Test unit written to .*' "$log" | tail -n 1 | sed 's/^Test unit written to //' || true)"
    found="${found:-see $log}"
    status=1
  fi
  executions="$(last 'stat::number_of_executed_units: +[0-9]+' "$log")"
  rate="$(last 'stat::average_exec_per_sec: +[0-9]+' "$log")"
  [ "$executions" != - ] || executions="$(grep -oE '^#[0-9]+' "$log" | tail -n 1 | tr -d '#' || true)"
  # shellcheck disable=SC2059
  printf "$format" "$target" "$(awk 'NF == 2 { printf "%.1f", $1 + $2 }' "$TMPDIR/cpu")" \
    "${executions:--}" "$rate" \
    "$(last 'cov: [0-9]+' "$log")" "$(last 'ft: [0-9]+' "$log")" \
    "$(find "$work/corpus/$target" -type f | wc -l | tr -d ' ')" "$found"
  read -r cpu_total runs_total < <(awk -v cpu="$cpu_total" -v runs="$runs_total" \
    -v new="${executions//[^0-9]/}" 'NF == 2 { cpu += $1 + $2 } END { print cpu, runs + new }' \
    "$TMPDIR/cpu")
  [ "$found" = - ] || found_total=$((found_total + 1))
  if [ "$found" != - ]; then
    grep -m 3 -E 'FINDING|Fatal error|ERROR: ' "$log" | cut -c1-300 || true
    [ ! -f "$found" ] || echo "  to repeat: $program $target $found"
  fi
done
[ -n "${MERGE:-}" ] || printf 'total of %s targets: %.0f cpu-s, %.0f executions, %s found something\n' \
  "${#targets[@]}" "$cpu_total" "$runs_total" "$found_total"
exit $status
