#!/usr/bin/env bash
# install.sh LARDER PREFIX: installs the command, and the completions and the man page that are made
# from its own help.
set -euo pipefail
larder="$1" share="$2/share"
bash="$share/bash-completion/completions" zsh="$share/zsh/site-functions"
fish="$share/fish/vendor_completions.d" man="$share/man/man1"
install -d "$2/bin" "$bash" "$zsh" "$fish" "$man"
install -m 755 "$larder" "$2/bin/larder"
"$larder" --generate-completion-script bash >"$bash/larder"
"$larder" --generate-completion-script zsh >"$zsh/_larder"
"$larder" --generate-completion-script fish >"$fish/larder.fish"

# subcommands COMMAND...: the names below SUBCOMMANDS in its help.
subcommands() {
  "$larder" help "$@" | awk '/^SUBCOMMANDS:/ { on = 1 } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }'
}

# section COMMAND...: its help as a section, and those of its subcommands.
section() {
  local name
  printf '.SH %s\n.nf\n' "$(tr '[:lower:]' '[:upper:]' <<<"larder${*:+ $*}")"
  "$larder" help "$@" | sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\\&&/"
  printf '.fi\n'
  for name in $(subcommands "$@"); do section "$@" "$name"; done
}

{
  printf '.TH LARDER 1 "" "%s"\n.SH NAME\n' "$("$larder" --version | cut -d ' ' -f 1-2)"
  printf 'larder \\- %s\n' "$("$larder" --help | sed -n '1s/OVERVIEW: \(.*\)\./\1/p')"
  section
} >"$man/larder.1"
