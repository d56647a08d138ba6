#!/usr/bin/env bash
# bootstrap.sh deps | browser | servers | venv FOLDER PYTHON: installs what a make target needs and the system
# lacks. On Debian and Ubuntu by apt-get, as root or through sudo; elsewhere it names what is missing.
set -euo pipefail

POLICY=/usr/sbin/policy-rc.d

say() { printf '\033[1m==> %s\033[0m\n' "$1"; }

# install PACKAGE...: fails with one line where it cannot.
install() {
  command -v apt-get >/dev/null || { echo "missing (names as in Debian): $*" >&2; return 1; }
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    { echo "missing, and no sudo to install: $*" >&2; return 1; }
  say "Installing $*"
  # Packages ask it before they start a service.
  if [ ! -e "$POLICY" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$POLICY" >/dev/null
    as_root chmod 755 "$POLICY"
    trap 'as_root rm -f "$POLICY"' EXIT
  fi
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

deps() {
  command -v "${SWIFT:-swift}" >/dev/null ||
    { echo 'Swift 6.1 or newer is missing: https://www.swift.org/install' >&2; exit 1; }
  if [ "$(uname)" = Darwin ]; then
    command -v brew >/dev/null && brew list zstd xz sqlite xxhash >/dev/null 2>&1 ||
      { echo 'missing libraries: brew install zstd xz sqlite xxhash pkg-config' >&2; exit 1; }
    return
  fi
  local missing=() pair
  command -v pkg-config >/dev/null || missing+=(pkg-config)
  # Headers by the name that pkg-config knows, and Debian's package.
  for pair in libzstd:libzstd-dev zlib:zlib1g-dev liblzma:liblzma-dev sqlite3:libsqlite3-dev \
    libxxhash:libxxhash-dev jemalloc:libjemalloc-dev; do
    pkg-config --exists "${pair%%:*}" 2>/dev/null || missing+=("${pair##*:}")
  done
  [ -e /usr/include/bzlib.h ] || missing+=(libbz2-dev)
  for pair in zstd:zstd xz:xz-utils; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
  done
  [ "${#missing[@]}" -eq 0 ] || install "${missing[@]}"
}

# Ubuntu's package is a stub that asks for a snap, which a container cannot install.
browser() {
  local name
  for name in chromium chromium-browser google-chrome; do
    if "$name" --version >/dev/null 2>&1; then return; fi
  done
  local id=''
  [ ! -r /etc/os-release ] || id="$(. /etc/os-release && echo "${ID:-}")"
  if [ "$id" != debian ] || ! install chromium; then
    echo 'Skipping the browser test of report.html: chromium is missing.' >&2
  fi
}

# Only for tests and figures: none is started, now or at the next boot, and without them tests are skipped.
servers() {
  local missing=() pair
  for pair in redis-server:redis-server memcached:memcached nginx:nginx varnishd:varnish; do
    PATH="$PATH:/usr/sbin" command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  install "${missing[@]}" || { echo 'Skipping the tests with real servers.' >&2; return 0; }
  ! command -v systemctl >/dev/null || as_root systemctl disable -q "${missing[@]}" || true
}

venv() {
  local folder="$1" python="$2"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    { echo "$python is missing or older than 3.11; choose another with make PYTHON=..." >&2; exit 1; }
  "$python" -c 'import venv, ensurepip' 2>/dev/null || install python3-venv
  say "Setting up $folder"
  "$python" -m venv --clear "$folder"
}

"$@"
