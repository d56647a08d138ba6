#!/usr/bin/env bash
# Builds a wheel with the library and the command in it, and an archive of both with the header, from
# what 'swift build -c release' made of the products LarderC and larder:
#
#     analysis/wheel.sh RELEASE_FOLDER OUTPUT_FOLDER [PYTHON]
#
# They are linked again, with the static Swift standard library, zstd, zlib, liblzma, libbz2, xxHash,
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
cp -RL "$analysis/src" "$analysis/pyproject.toml" "$analysis/setup.py" "$analysis/README.md" "$package"
rm -rf "$package"/src/*.egg-info "$native"
find "$package" -name __pycache__ -prune -exec rm -rf {} +
mkdir -p "$native"

# The linker takes the first folder that has a library in any form: here it finds only archives.
for name in libzstd.a libz.a liblzma.a libbz2.a libxxhash.a libsqlite3.a libjemalloc_pic.a; do
  # Swift's own clang; without a folder in its answer it has not found the file.
  archive="$(clang -print-file-name="$name")"
  if [ ! -e "$archive" ]; then
    echo "$name is missing: install the library's development package" >&2
    exit 1
  fi
  ln -s "$archive" "$work/static/${name/_pic/}"
done

# Debian's libbz2.a is compiled for programs: what it needs of another library's variables, the
# streams that it reports its own faults to, becomes variables of this library.
rm "$work/static/libbz2.a"
objcopy --redefine-sym stdin=larder_stdin --redefine-sym stdout=larder_stdout \
  --redefine-sym stderr=larder_stderr "$(clang -print-file-name=libbz2.a)" "$work/static/libbz2.a"
cat > "$work/streams.c" <<'EOF'
#include <stdio.h>
__attribute__((visibility("hidden"))) FILE *larder_stdin, *larder_stdout, *larder_stderr;
__attribute__((constructor)) static void set(void) {
  larder_stdin = stdin; larder_stdout = stdout; larder_stderr = stderr;
}
EOF
clang -O2 -fPIC -c -o "$work/streams.o" "$work/streams.c"

# One library has what both products are made of, and so Foundation's tables only once; the command
# is a few lines of C that call it. The build names the entry point after its module.
cat > "$work/exports" <<'EOF'
{ global: larder_*; LarderCLI_main; local: *; };
EOF
cat "$release/LarderC.product/Objects.LinkFileList" "$release/larder.product/Objects.LinkFileList" \
  | sort -u > "$work/objects"
cat > "$work/main.c" <<'EOF'
int LarderCLI_main(int, char **);
int main(int count, char **arguments) { return LarderCLI_main(count, arguments); }
EOF

# Objects were compiled for the shared standard library, and do not name what the static one needs.
foundation=(-Xlinker --start-group -lFoundation -lFoundationInternationalization
  -lFoundationEssentials -lCoreFoundation -l_FoundationICU -l_FoundationCShims
  -l_FoundationCollections -Xlinker --end-group)
# Some objects are named from the folder above the build's.
(cd "$release/../../.." && swiftc -static-stdlib -L "$work/static" -Xlinker --gc-sections \
  -emit-library -o "$native/liblarder.so" "@$work/objects" "$work/streams.o" -lzstd -lz -llzma -lbz2 -lxxhash -lsqlite3 \
  "${foundation[@]}" -Xlinker "--version-script=$work/exports" -Xlinker -soname=liblarder.so) \
  2>&1 | { grep -v 'mktemp' || true; } >&2
# jemalloc in the program takes the place of malloc in the library as well.
# shellcheck disable=SC2016 # the dynamic linker expands $ORIGIN
clang -O2 -o "$native/larder" "$work/main.c" -L "$native" -l:liblarder.so \
  -Wl,-rpath,'$ORIGIN:$ORIGIN/../lib' \
  -L "$work/static" -Wl,--whole-archive -ljemalloc -Wl,--no-whole-archive -lstdc++ -lm
strip "$native/liblarder.so" "$native/larder"

# The newest glibc that a symbol is of says on which systems the wheel works.
glibc="$(objdump -T "$native/liblarder.so" "$native/larder" | grep -o 'GLIBC_2\.[0-9]*' \
  | sort -uV | tail -1)"
allowed='liblarder libc libm libstdc++ libgcc_s libpthread libdl librt ld-linux-x86-64 ld-linux-aarch64'
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

version="$(sed -n 's/^version = "\(.*\)"/\1/p' "$analysis/pyproject.toml")"
archive="larder-$version-linux-$(uname -m)"
install -D -m 755 "$native/larder" "$work/$archive/bin/larder"
install -D -m 755 "$native/liblarder.so" "$work/$archive/lib/liblarder.so"
install -D -m 644 "$analysis/../Sources/CLarder/include/larder.h" "$work/$archive/include/larder.h"
install -D -m 644 -t "$work/$archive/share/doc/larder" \
  "$analysis/../LICENSE" "$analysis/../README.md" "$analysis/../CHANGELOG.md"
tar -C "$work" --owner=0 --group=0 -czf "$output/$archive.tar.gz" "$archive"
ls -l "$output"/larder_cache-*.whl "$output/$archive.tar.gz"
