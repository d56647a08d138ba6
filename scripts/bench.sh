#!/usr/bin/env bash
# bench.sh LARDER REQUESTS CAPACITY: measures every policy in one thread on a Zipf trace, and prints
# the best of five runs. Writes below Results/bench. Keep the machine otherwise idle.
set -euo pipefail

say() { printf '\033[1m==> %s\033[0m\n' "$1"; }
results="Results/bench/$(date -u +%Y-%m-%dT%H-%M-%SZ)"
trace=".build/bench-$2.larder"
if [ ! -f "$trace" ]; then
  say "Generating $2 requests"
  "$1" trace generate zipf:objects=1000000:exponent=1 "$trace" --requests "$2"
fi
mkdir -p "$results"
for run in 1 2 3 4 5; do
  "$1" simulate "$trace" --policy all --capacity "$3" --ignore-size --threads 1 --quiet \
    --csv "$results/counts.csv" --timings "$results/timings-$run.csv"
done
awk -F, 'FNR > 1 { if ($11 > best[$3]) best[$3] = $11 }
  END { for (p in best) printf "  %-12s %8.1f million requests/s (best run)\n", p, best[p] / 1e6 }' \
  "$results"/timings-*.csv | sort -k2,2nr
say "$results"
