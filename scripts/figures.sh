#!/usr/bin/env bash
# figures.sh BIN CACHES PART...: measures what documents and Results/examples say, and writes it there:
# every table with the day, the commit and the machine. BIN is the folder of release builds, CACHES
# the program CacheBenchmarks. Keep the machine otherwise idle. Without a part, all of PARTS run;
# TRACES, a folder with public traces, is needed by those marked with a star.
set -euo pipefail
TRACES="${TRACES:-no-traces}"

PARTS='examples* servers* policies simulator caches spikes peers seeds* alarms layouts mutants* regret* torture'
swift="${SWIFT:-swift}" python="${PYTHON:-python3}"
bin="$1" caches="$2"
shift 2
results=Results/examples
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)"
[ -n "$machine" ] || machine="$(sysctl -n machdep.cpu.brand_string 2>/dev/null || uname -m)"
machine="$machine, $(getconf _NPROCESSORS_ONLN) cores, $(uname -s)"
commit="$(git describe --always)"
[ -z "$(git status --porcelain -- . ':!Results')" ] || commit="$commit, changed"

# measured FILE COMMAND...: what the command prints, below what it was and where it ran. A command
# that prints nothing has measured nothing, and the file stays.
measured() {
  local file="$results/$1" status=0
  shift
  "$@" | sed "s|$scratch/||g; s|$PWD/||g" | tee "$scratch/printed" || status=$?
  [ -s "$scratch/printed" ] || return "$status"
  mkdir -p "$(dirname "$file")"
  {
    printf 'Measured on %s at %s, on %s, by\n\n    %s\n\n' "$(date -u +%F)" "$commit" "$machine" \
      "$(sed "s|^$python|python3|; s|$bin/||g; s|$scratch/||g; s|$caches|CacheBenchmarks|g
        s|$TRACES|TRACES|g; s|$PWD/||g" <<<"$*")"
    cat "$scratch/printed"
  } >"$scratch/page"
  mv "$scratch/page" "$file"
  return "$status"
}

zipf() {
  [ -f "$scratch/zipf.oracleGeneral" ] ||
    "$bin/larder" trace generate zipf:objects=1000000:exponent=1 "$scratch/zipf.oracleGeneral" \
      --requests 20000000 --quiet
}

examples() {
  "$bin/larder" run Workloads/changing.yaml --output "$results/changing" --quiet
  for name in arc-oltp cache2k-web07; do
    # Workloads name traces beside them.
    cp "$results/$name/workload.yaml" "$scratch/"
    find "$TRACES" -name "$(awk '$1 == "trace:" { print $2 }' "$scratch/workload.yaml")*" \
      -exec ln -sf {} "$scratch/" \;
    "$bin/larder" run "$scratch/workload.yaml" --output "$results/$name" --quiet
  done
}

servers() {
  find "$TRACES" -name 'web07.trace*' -exec ln -sf {} "$scratch/" \;
  cp "$results/servers/workload.yaml" "$scratch/"
  "$bin/larder" run "$scratch/workload.yaml" --output "$results/servers" --quiet
}

policies() {
  for workload in Workloads/policies/*.yaml; do
    "$bin/larder" run "$workload" --threads 1 --quiet \
      --output "$results/policies/$(basename "$workload" .yaml)"
  done
  LARDER_WRITE_DOCS=1 "$swift" test --filter 'PolicyPageTests|PolicyCostTests'
}

simulator() {
  zipf
  measured libcachesim/speed.txt "$python" analysis/peers/compare_libcachesim.py \
    "$scratch/zipf.oracleGeneral" --larder "$bin/larder" --rounds 5 --whole
}

caches() {
  for part in memory values hybrid; do measured "caches/$part.md" "$caches" "$part"; done
  measured caches/disk.txt "$caches" disk "$scratch/disk"
}

spikes() { measured caches/spikes.md "$python" analysis/peers/compare_moka.py --bench "$caches"; }

peers() {
  measured caches/rocksdb.md "$python" analysis/peers/compare_rocksdb.py --bench "$caches"
  measured caches/quick_cache.md "$python" analysis/peers/compare_quick_cache.py --bench "$caches" \
    --kinds int,string,uuid
}

seeds() {
  "$bin/larder" trace convert "$(find "$TRACES" -name 'OLTP.lis*' | head -n 1)" \
    "$scratch/oltp.oracleGeneral" --quiet
  "$bin/larder" trace generate zipf:objects=100000:exponent=1 "$scratch/small.oracleGeneral" \
    --requests 2000000 --quiet
  for name in oltp small; do
    measured "seeds/$name.md" "$python" analysis/peers/seeds.py "$scratch/$name.oracleGeneral" \
      --larder "$bin/larder" --capacities 1000,10000 --csv "$results/seeds/$name.csv"
  done
}

alarms() {
  # It has the tools' trait alone, with which the nested build would compile the library again.
  local slow=("$swift" build -c release --scratch-path .build-slow --package-path Benchmarks/SlowLarder)
  "${slow[@]}"
  measured false-alarms/same.md "$python" analysis/alarms/alarms.py same --runs 300 --budget 4 \
    --bin "$bin" --output "$results/false-alarms"
  measured false-alarms/slow.md "$python" analysis/alarms/alarms.py slow --runs 100 --budget 20 \
    --bin "$bin" --output "$results/false-alarms" --slow "$("${slow[@]}" --show-bin-path)/SlowLarder"
}

layouts() {
  measured layouts/layouts.md "$python" analysis/alarms/layouts.py --links 8 --budget 20 \
    --bin "$bin" --output "$results/layouts"
}

mutants() {
  measured mutants/mutants.md "$python" analysis/mutants/mutants.py --traces "$TRACES" \
    --output "$results/mutants"
}

regret() {
  LARDER_REGRET_TRACES="$(cd "$TRACES" && pwd)" \
    "$swift" test -c release -Xswiftc -enable-testing --filter RegretTests
}

torture() { measured torture/torture.txt make -s torture TORTURE_SECONDS=30 FUZZ_SECONDS=5; }

for part in ${*:-$PARTS}; do
  name="${part%\*}"
  case " ${PARTS//\*/} " in
    *" $name "*) ;;
    *) echo "figures: no part '$name'; there are: ${PARTS//\*/}" >&2; exit 2 ;;
  esac
  if [[ " $PARTS " = *" $name\* "* && ! -d "$TRACES" ]]; then
    echo "figures: '$name' needs TRACES=FOLDER with public traces" >&2
    [ $# -eq 0 ] || exit 2
    continue
  fi
  printf '\033[1m==> %s\033[0m\n' "$name" >&2
  "$name" >&2
done
