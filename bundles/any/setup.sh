#!/bin/sh
# Installs cudalab and what it compiles with, on Debian 12, Ubuntu 24.04 or later. As root.
set -e
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install --yes --no-install-recommends ./cudalab.deb
sh ./compiler.sh
