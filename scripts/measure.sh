#!/usr/bin/env bash
# measure.sh policies-page | mutants | alarms | advise-regret BIN: programs that measure for long and
# write what documents say. BIN is the folder of release builds. Keep the machine otherwise idle.
set -euo pipefail

swift="${SWIFT:-swift}" python="${PYTHON:-python3}" bin="$2"
traces() {
  [ -d "${TRACES:-}" ] || { echo "make $1 TRACES=FOLDER with real traces" >&2; exit 2; }
}

case "$1" in
  policies-page)
    for workload in Workloads/policies/*.yaml; do
      printf '\033[1m==> %s\033[0m\n' "$workload"
      "$bin/larder" run "$workload" --threads 1 --quiet \
        --output "Results/examples/policies/$(basename "$workload" .yaml)" >/dev/null
    done
    LARDER_WRITE_DOCS=1 "$swift" test --filter 'PolicyPageTests|PolicyCostTests'
    ;;
  mutants)
    traces mutants
    "$python" analysis/mutants/mutants.py --traces "$TRACES" --output Results/mutants
    ;;
  alarms)
    # It has the tools' trait alone, with which the nested build would compile the library again.
    slow=("$swift" build -c release --scratch-path .build-slow --package-path Benchmarks/SlowLarder)
    "${slow[@]}"
    for part in 'same --runs 300 --budget 4' 'slow --runs 100 --budget 20'; do
      # shellcheck disable=SC2086
      "$python" analysis/alarms/alarms.py $part --bin "$bin" --output Results/alarms \
        --slow "$("${slow[@]}" --show-bin-path)/SlowLarder"
    done
    ;;
  advise-regret)
    traces advise-regret
    LARDER_REGRET_TRACES="$(cd "$TRACES" && pwd)" \
      "$swift" test -c release -Xswiftc -enable-testing --filter RegretTests
    ;;
esac
