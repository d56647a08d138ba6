#!/usr/bin/env bash
# docs.sh: builds the documentation of the libraries as a static site in .build/docs. Symbol graphs
# are those of a debug build; docc comes with the toolchain.
set -euo pipefail

swift="${SWIFT:-swift}"
"$swift" package dump-symbol-graph --minimum-access-level public >/dev/null
graphs="$("$swift" build --show-bin-path)/../symbolgraph"
docc="$(command -v docc || echo "$(dirname "$(readlink -f "$(command -v "$swift")")")/docc")"
mkdir -p .build/docs
symbols="$(mktemp -d)"
trap 'rm -rf "$symbols"' EXIT
for module in Larder LarderEngine; do
  printf '\033[1m==> Documenting %s\033[0m\n' "$module"
  rm -f "$symbols"/*
  cp "$graphs/$module.symbols.json" "$symbols/"
  "$docc" convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$symbols" \
    --fallback-display-name "$module" --fallback-bundle-identifier "larder.$module" \
    --transform-for-static-hosting --hosting-base-path "$module" --warnings-as-errors \
    --output-path ".build/docs/$module"
done
