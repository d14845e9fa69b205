# shellcheck shell=bash
# A bare Debian 12 in a folder, made of the packages of this machine's own mirror. Sourced after common.sh, not run.

# Why there can be none here; nothing where there can.
lacks_debian_root() {
  if [ "$(id -u)" -ne 0 ]; then echo "only root can make a Debian in a folder"
  elif ! command -v debootstrap >/dev/null; then echo "debootstrap is not installed"
  elif [ -z "$(debian_mirror)" ]; then echo "this machine's apt names no mirror of Debian 12"
  elif ! unshare --mount --pid --fork true 2>/dev/null; then echo "no mounts of its own are allowed here"; fi
}

debian_mirror() {
  apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk '$1 == "bookworm" { print $2; exit }'
}

# What this machine cannot give is no fault of a package.
skip() { say "$(basename "$0"): skipped: $1"; exit 0; }

# debian_root FOLDER: a new one, copied from one that is made once a build folder.
debian_root() {
  local made="$root/build/debian-12"
  if [ ! -e "$made.done" ]; then
    rm -rf "$made"
    debootstrap --variant=minbase bookworm "$made" "$(debian_mirror)" >"$made.log" 2>&1 ||
      skip "debootstrap could not make a Debian 12; see $made.log"
    # As this machine reaches its packages, that one does.
    cp /etc/resolv.conf "$made/etc/"
    apt-config dump | grep '^Acquire::' >"$made/etc/apt/apt.conf.d/90this-machine" || true
    in_debian "$made" apt-get update >>"$made.log" 2>&1 || skip "a new Debian 12 reaches no packages; see $made.log"
    touch "$made.done"
  fi
  mkdir -p "$1"
  cp --archive --reflink=auto "$made/." "$1"
}

# in_debian FOLDER COMMAND…: with mounts and processes of its own, and no environment of ours.
in_debian() {
  local folder=$1
  shift
  unshare --mount --pid --fork sh -ec 'mount -t proc proc "$0/proc"; mount -t tmpfs none "$0/tmp"
    exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' \
    "$folder" "$@"
}
