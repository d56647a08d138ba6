#!/usr/bin/env bash
# typecheck.sh OUTPUT PACKAGES: type-checks Sources on Linux as macOS compiles them, for
# `make test-apple`. OUTPUT is a folder for what is made; PACKAGES has the compiled modules of the
# packages that are fetched.
#
# A copy of the sources, whose conditions are answered as on macOS, is compiled against Stubs, which
# declare what the sources use of Apple's systems. Linux's own libc is not visible: Foundation is
# imported from AppleFoundation, which has the types of Linux's Foundation and, as on macOS, passes
# Darwin and Dispatch on.
set -euo pipefail
cd "$(dirname "$0")/../.."
output="$1"
packages="$(cd "$2" && pwd)"
swiftc="${SWIFTC:-swiftc}"

rm -rf "$output"
mkdir -p "$output"/{Sources,stubs,packages,modules}

# Conditions become `true` and `false`, and imports those of stubs. Lines and columns stay.
answer='
  /^ *#(if|elseif) /{
    s/(os\((macOS|OSX)\)|canImport\((Darwin|CryptoKit|SQLite3|os|ObjectiveC)\))/true/g
    s/(os\([A-Za-z]+\)|canImport\((Glibc|Musl|Android|WinSDK|FoundationEssentials)\))/false/g
    s/defined\(__linux__\)/0/g
    s/defined\(__APPLE__\)/1/g
  }
  s/^( *([@a-z]+ )*import )(Foundation|Dispatch)$/\1Apple\3/
  s/([^A-Za-z.])Foundation\./\1AppleFoundation./g'
(cd Sources && find . -name '*.swift' -o -name '*.h' -o -name '*.modulemap') |
  while IFS= read -r file; do
    mkdir -p "$output/Sources/$(dirname "$file")"
    sed -E "$answer" "Sources/$file" >"$output/Sources/$file"
  done

# Without `export *`: what C headers of Linux include is not visible either.
maps=()
for folder in Sources/C*/; do
  name="$(basename "$folder")"
  header="$(find "$output/$folder" -name '*.h' | head -n 1)"
  map="$output/stubs/$name.modulemap"
  printf 'module %s { header "%s" }\n' "$name" "$PWD/$header" >"$map"
  maps+=(-Xcc "-fmodule-map-file=$PWD/$map")
done

for module in "$packages"/*.swiftmodule; do
  [ -d "Sources/$(basename "$module" .swiftmodule)" ] || ln -s "$module" "$output/packages/"
done
for map in .build/checkouts/*/Sources/*/include/module.modulemap; do
  maps+=(-Xcc "-fmodule-map-file=$PWD/$map")
done

# compile NAME FILE...: leaves NAME.swiftmodule, or prints the errors.
compile() {
  local name="$1" library=(-parse-as-library)
  shift
  [[ " $*" != */main.swift* ]] || library=()
  "$swiftc" -emit-module -whole-module-optimization -module-name "$name" -emit-module-path "$output/modules/$name.swiftmodule" \
    -swift-version 6 -package-name larder -Onone -DEncryption -DTools \
    -module-cache-path "$output/cache" -I "$output/modules" -I "$output/packages" \
    -I Tests/Apple/Stubs/Darwin -I Tests/Apple/Stubs/SQLite3 "${maps[@]}" "${library[@]}" "$@"
}
compile Darwin -import-underlying-module Tests/Apple/Stubs/Darwin.swift
for stub in AppleDispatch AppleFoundation CryptoKit os; do
  compile "$stub" "Tests/Apple/Stubs/$stub.swift"
done

# Modules in an order in which each comes after those that it imports; the first with errors ends it.
modules="$(for folder in "$output"/Sources/*/; do
  name="$(basename "$folder")"
  echo "$name $name"
  { grep -rhoE '^ *([@a-z]+ )*import Larder[A-Za-z]*' "$folder" || true; } |
    sed -E "s/.* (.*)/\1 $name/"
done | sort -u | tsort)"
for module in $modules; do
  files=()
  while IFS= read -r file; do files+=("$file"); done < <(find "$output/Sources/$module" -name '*.swift')
  [ "${#files[@]}" -gt 0 ] || continue
  # Files that SwiftPM embeds in the code.
  embedded="$packages/../$module.build/DerivedSources/embedded_resources.swift"
  [ ! -f "$embedded" ] || files+=("$embedded")
  echo "  $module"
  compile "$module" "${files[@]}" 2>&1 | sed "s#$PWD/##g; s#$output/##g"
done
