#!/usr/bin/env bash
# docs.sh: builds the documentation of the libraries as a static site in .build/docs, from the modules
# of a debug build. docc and swift-symbolgraph-extract come with the toolchain; nothing is fetched.
set -euo pipefail

swift="${SWIFT:-swift}"
tools="$(dirname "$(readlink -f "$(command -v "$swift")")")"
[ "$(uname)" = Linux ] || tools="$(dirname "$(xcrun --find docc)")"
"$swift" build --product Larder
bin="$("$swift" build --show-bin-path)"
target="$("$swift" -print-target-info | sed -n 's/^ *"triple": "\(.*\)",/\1/p')"
flags=(-target "$target" -minimum-access-level public -I "$bin/Modules")
[ "$(uname)" = Linux ] || flags+=(-sdk "$(xcrun --show-sdk-path)")
for map in "$bin"/C*.build/module.modulemap Sources/*/module.modulemap; do
  flags+=(-Xcc "-fmodule-map-file=$map")
done
symbols="$(mktemp -d)"
trap 'rm -rf "$symbols"' EXIT
mkdir -p .build/docs
for module in Larder LarderEngine; do
  printf '\033[1m==> Documenting %s\033[0m\n' "$module"
  "$tools/swift-symbolgraph-extract" -module-name "$module" -output-dir "$symbols" "${flags[@]}"
  mkdir "$symbols/$module"
  mv "$symbols/$module.symbols.json" "$symbols/$module/"
  "$tools/docc" convert "Sources/$module/$module.docc" \
    --additional-symbol-graph-dir "$symbols/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "larder.$module" \
    --transform-for-static-hosting --hosting-base-path "$module" --warnings-as-errors \
    --output-path ".build/docs/$module"
done
