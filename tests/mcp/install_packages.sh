#!/bin/sh
# install_packages.sh DIR: installs the npm packages in package-lock.json into DIR, if they are not
# installed yet.
set -eu

from=$(dirname "$(readlink -f "$0")")
into=$1
mkdir -p "$into"
cd "$into"
if cmp -s "$from/package-lock.json" installed-lock.json; then exit 0; fi
command -v npm >/dev/null || { echo "npm is missing; \`tools/dev setup\` installs it" >&2; exit 1; }
cp "$from/package.json" "$from/package-lock.json" .
# The lock file has the hash of every package; install scripts of packages do not run.
npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier
cp package-lock.json installed-lock.json
