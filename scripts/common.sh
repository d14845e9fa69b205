# shellcheck shell=bash
# What the scripts share: where things are, and how to speak. Sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build/release"
export CCACHE_DEPEND=1  # ccache takes the list of headers from the compiler, which saves preprocessing every source
export CCACHE_SLOPPINESS=pch_defines,time_macros  # without which it keeps nothing that uses precompiled headers

say() { printf '%s\n' "$*" >&2; }
stop() {
  say "cudalab: $*"
  exit 3
}
[ "$(uname -s)" = Linux ] || stop "cudalab runs on Linux, not on $(uname -s): on Windows, use WSL2; on a Mac, a container (container/Containerfile)"
