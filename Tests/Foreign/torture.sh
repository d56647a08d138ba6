#!/usr/bin/env bash
# torture.sh PROGRAM [PART ...]: runs parts of the torture of the caches one after the other, all of
# them by default, and ends with a table of what each has done. `make torture` builds what it needs.
#
# PROGRAM is Torture, whose scenarios are parts. The others are targets of the Makefile: `threads`
# (test-foreign), `schedules` and `fuzz`. MAKE, TORTURE_SEED, TORTURE_SECONDS, ROUNDS, FOREIGN_SECONDS
# and FUZZ_SECONDS come from there.
set -uo pipefail

program="$1"
shift
# Without mapfile, which macOS's bash 3.2 lacks.
scenarios=()
while IFS= read -r name; do scenarios+=("$name"); done < <("$program" list)
parts=("${scenarios[@]}" threads schedules fuzz)
for part in "$@"; do
  [[ " ${parts[*]} " == *" $part "* ]] || {
    echo "no part is named $part; there are ${parts[*]}" >&2
    exit 2
  }
done
[ $# -eq 0 ] || parts=("$@")

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
make=("${MAKE:-make}" --no-print-directory)
rows=()
status=0

# run NAME PATTERN COMMAND...: PATTERN finds the lines that say what was done.
run() {
  local name="$1" pattern="$2" begun verdict=passed
  begun="$(date +%s)"
  shift 2
  printf '\033[1m==> %s\033[0m\n' "$name" >&2
  "$@" 2>&1 | tee "$log" >&2 || { verdict=FAILED; status=1; }
  rows+=("$(printf '  %-15s %-8s %7d  %s' "$name" "$verdict" "$(($(date +%s) - begun))" \
    "$(grep -E "$pattern" "$log" | tail -n 1 | sed -E 's/ in [0-9]+ s, seed [0-9]+;/,/')")")
}

for part in "${parts[@]}"; do
  case "$part" in
    threads) run "$part" '^Readers:' "${make[@]}" test-foreign "FOREIGN_SECONDS=$FOREIGN_SECONDS" ;;
    schedules)
      run "$part" ' schedules, ' "${make[@]}" schedules SEEDS=50000 "SEED=$TORTURE_SEED"
      ;;
    fuzz)
      if [ "$(uname)" = Linux ]; then
        run "$part" '^total ' "${make[@]}" fuzz "SECONDS=$FUZZ_SECONDS"
      else
        rows+=("$(printf '  %-15s %-8s %7s  %s' "$part" skipped - 'Linux only')")
      fi
      ;;
    *)
      run "$part" ' rounds in ' "$program" "$part" --seed "$TORTURE_SEED" \
        ${TORTURE_SECONDS:+--seconds "$TORTURE_SECONDS"} ${ROUNDS:+--rounds "$ROUNDS"}
      ;;
  esac
done

printf '\n  %-15s %-8s %7s  %s\n' part verdict seconds 'what it did'
printf '%s\n' "${rows[@]}"
exit "$status"
