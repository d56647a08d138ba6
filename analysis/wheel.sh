#!/usr/bin/env bash
# Builds a wheel with the library and the command in it, from what 'swift build -c release' made of
# the products LarderC and larder:
#
#     analysis/wheel.sh RELEASE_FOLDER OUTPUT_FOLDER [PYTHON]
#
# Both are linked again: with the static Swift standard library, and with zstd, zlib, liblzma,
# SQLite and jemalloc in them, so that they need glibc, libstdc++ and libgcc alone.
set -euo pipefail

release="$(cd "$1" && pwd)"
mkdir -p "$2"
output="$(cd "$2" && pwd)"
python="${3:-python3}"
analysis="$(cd "$(dirname "$0")" && pwd)"

if [ "$(uname -s)" != Linux ]; then
  echo 'wheels are built on Linux' >&2
  exit 1
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
package="$work/package"
native="$package/src/larder/native"
mkdir -p "$package" "$work/static"
cp -R "$analysis/src" "$analysis/pyproject.toml" "$analysis/setup.py" "$analysis/README.md" "$package"
rm -rf "$package"/src/*.egg-info "$native"
find "$package" -name __pycache__ -prune -exec rm -rf {} +
mkdir -p "$native"

# The linker takes the first folder that has a library in any form: here it finds only archives.
for pair in libzstd:libzstd.a zlib:libz.a liblzma:liblzma.a sqlite3:libsqlite3.a \
  jemalloc:libjemalloc_pic.a; do
  archive="$(pkg-config --variable=libdir "${pair%%:*}")/${pair##*:}"
  if [ ! -e "$archive" ]; then
    echo "$archive is missing: install the library's development package" >&2
    exit 1
  fi
  name="${pair##*:}"
  ln -s "$archive" "$work/static/${name/_pic/}"
done

cat > "$work/exports" <<'EOF'
{ global: larder_*; local: *; };
EOF

# Objects that the linker is given are named with absolute paths, or from the folder above.
link() {
  (cd "$release/../../.." && swiftc -static-stdlib -L "$work/static" -Xlinker --gc-sections "$@")
}
link -emit-library -o "$native/liblarder.so" "@$release/LarderC.product/Objects.LinkFileList" \
  -lzstd -lz -llzma -lsqlite3 -Xlinker "--version-script=$work/exports" \
  -Xlinker -soname=liblarder.so 2>&1 | { grep -v 'mktemp' || true; } >&2
link -emit-executable -o "$native/larder" "@$release/larder.product/Objects.LinkFileList" \
  -lzstd -lz -llzma -lsqlite3 -ljemalloc 2>&1 | { grep -v 'mktemp' || true; } >&2
strip "$native/liblarder.so" "$native/larder"

# The newest glibc that a symbol is of says on which systems the wheel works.
glibc="$(objdump -T "$native/liblarder.so" "$native/larder" | grep -o 'GLIBC_2\.[0-9]*' \
  | sort -uV | tail -1)"
allowed='libc libm libstdc++ libgcc_s libpthread libdl librt ld-linux-x86-64 ld-linux-aarch64'
for file in liblarder.so larder; do
  for needed in $(objdump -p "$native/$file" | awk '/NEEDED/ { print $2 }'); do
    case " $allowed " in
      *" ${needed%%.so*} "*) ;;
      *) echo "$file needs $needed, which not every system has" >&2; exit 1 ;;
    esac
  done
done

LARDER_WHEEL_PLATFORM="manylinux_2_${glibc##*.}_$(uname -m)" \
  "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$output" "$package"
ls -l "$output"/larder-*.whl
