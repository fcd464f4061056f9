# CRIU in a private prefix. Debian 12's own CRIU (3.17) does not start on kernels from 6.13 on, and newer packages need
# a newer libc. So criu and all its libraries are unpacked into $SF_CRIU_PREFIX, which no other program uses:
#
#   <prefix>/bin/criu      link to the patched executable: its loader and libraries are those of the prefix
#   <prefix>/VERSION       version and suite, e.g. "4.3 (experimental)"; written last, so it marks a whole installation
#   <prefix>/usr/...       the unpacked packages
#
# The mirror is the one this machine's apt uses. Package lists of the other suite live in a temporary directory and the
# machine's apt configuration is not changed. apt verifies downloads as usual. Debian also signs its development and
# next suites with the keys of older releases, so the machine's keyring usually suffices. If it is too old, the newest
# keyring package of the machine's *own, verified* suite is used for this one download.

CRIU_OLDEST=4.1

# Installs CRIU unless it is there and runs.
install_criu() {
  if [[ -f $SF_CRIU_PREFIX/VERSION ]] && "$SF_CRIU_PREFIX/bin/criu" --version >/dev/null 2>&1; then
    return 0
  fi
  say "installing CRIU into $SF_CRIU_PREFIX"
  setup_for build # patchelf
  (
    work=$(mktemp -d)
    trap 'rm -rf "$work"; as_root rm -rf "$SF_CRIU_PREFIX.draft"' EXIT
    chmod 755 "$work"
    install_criu_from_suites "$work"
  ) || install_criu_from_path
  say "CRIU $(cat "$SF_CRIU_PREFIX/VERSION") is ready"
}

# Tries the suites from the newest CRIU to the oldest, and keeps the first working one.
install_criu_from_suites() {
  local work=$1 mirror suite keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mirror=$(debian_mirror) || return 1
  for suite in ${STATEFORK_CRIU_SUITES:-experimental sid trixie}; do
    if ! fetch_debs criu "$work/$suite" "$mirror" "$suite" "$keyring" && newest_keyring "$work/keyring"; then
      keyring=$work/keyring$keyring
      fetch_debs criu "$work/$suite" "$mirror" "$suite" "$keyring" || true
    fi
    if unpack_criu "$work/$suite" && publish_criu "$suite"; then
      return 0
    fi
    say "CRIU of $suite cannot be used here; trying the next suite"
  done
  return 1
}

# The repository from which this machine installs its own release, as apt knows it.
debian_mirror() {
  local query=(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI)' 'Created-By: Packages')
  if [[ -z $("${query[@]}") ]]; then
    quietly apt_quiet update
  fi
  local uri
  uri=$("${query[@]}" | awk '$1 == "Debian" && $2 !~ /-/ { print $3; exit }')
  if [[ -z $uri ]]; then
    say "apt on this machine has no Debian repository"
    return 1
  fi
  echo "$uri"
}

# Unpacks the newest keyring package of the machine's own release into <dir>. Fails if that was done before.
newest_keyring() {
  local dir=$1
  [[ ! -d $dir ]] || return 1
  say "trying the newest archive keyring"
  mkdir -p "$dir"
  (cd "$dir" && quietly apt-get -q -o APT::Sandbox::User=root download debian-archive-keyring) &&
    dpkg-deb -x "$dir"/debian-archive-keyring_*.deb "$dir"
}

# Downloads a package of another suite and all it depends on into <dir>/debs. An empty package status makes apt resolve
# the whole closure, libc included.
fetch_debs() {
  local package=$1 dir=$2 mirror=$3 suite=$4 keyring=$5
  rm -rf "$dir"
  mkdir -p "$dir"/{lists/partial,cache/archives/partial,debs}
  : >"$dir/status"
  # experimental is an addition to sid and not complete by itself.
  local base=$suite
  [[ $suite == experimental ]] && base=sid
  {
    echo "deb [signed-by=$keyring] $mirror $base main"
    [[ $base == "$suite" ]] || echo "deb [signed-by=$keyring] $mirror $suite main"
  } >"$dir/sources.list"
  local apt=(apt-get -q -y -o Dir::Etc::SourceList="$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::Etc::PreferencesParts=/dev/null -o Dir::State="$dir" -o Dir::State::Lists="$dir/lists"
    -o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" -o APT::Sandbox::User=root
    -o Acquire::Languages=none -o APT::Update::Error-Mode=any)
  say "fetching $package from $suite"
  quietly "${apt[@]}" update &&
    quietly "${apt[@]}" --no-install-recommends --download-only --target-release "$suite" install "$package" &&
    mv "$dir"/cache/archives/*.deb "$dir/debs"
}

# Unpacks <dir>/debs into the draft and sets the executable's loader and library paths to the final prefix.
unpack_criu() {
  local dir=$1 draft=$SF_CRIU_PREFIX.draft deb loader libraries
  compgen -G "$dir/debs/*.deb" >/dev/null || return 1
  as_root rm -rf "$draft"
  as_root mkdir -p "$draft/bin"
  for deb in "$dir"/debs/*.deb; do
    as_root dpkg-deb -x "$deb" "$draft" || return 1
  done
  as_root rm -rf "$draft"/usr/share # documentation and locales
  loader=$(cd "$draft" && find usr/lib -name 'ld-linux*.so.*' | sort | head -n 1)
  [[ -n $loader ]] || return 1
  libraries=$(dirname "$loader")
  # DT_RPATH (not RUNPATH) of the executable also serves the libraries of its libraries.
  as_root patchelf --set-interpreter "$SF_CRIU_PREFIX/$loader" --set-rpath "$SF_CRIU_PREFIX/$libraries" --force-rpath \
    "$draft/usr/sbin/criu" || return 1
  as_root ln -s ../usr/sbin/criu "$draft/bin/criu"
}

# Tries the draft under its final name, in a private mount namespace, then renames it.
publish_criu() {
  local suite=$1 draft=$SF_CRIU_PREFIX.draft version
  as_root mkdir -p "$SF_CRIU_PREFIX"
  version=$(as_root unshare -m bash -c "$(declare -f try_criu); try_criu \"\$@\"" - "$draft" "$SF_CRIU_PREFIX") || return 1
  [[ $(printf '%s\n' "$CRIU_OLDEST" "$version" | sort -V | head -n 1) == "$CRIU_OLDEST" ]] || return 1
  echo "$version ($suite)" | as_root tee "$draft/VERSION" >/dev/null
  as_root rm -rf "$SF_CRIU_PREFIX"
  as_root mv -T "$draft" "$SF_CRIU_PREFIX"
}

# Runs in a private mount namespace as root. Prints the version if CRIU starts, finds all its libraries inside the
# prefix and reports that this kernel is sufficient. /run is a tmpfs here, since CRIU keeps a cache there.
try_criu() {
  set -e
  local draft=$1 prefix=$2 report
  mount --make-rprivate /
  mount -t tmpfs tmpfs /run
  mount --bind "$draft" "$prefix"
  if report=$("$prefix"/usr/lib/*/ld-linux*.so.* --list "$prefix/bin/criu" 2>&1 | grep '=>' | grep -v "=> $prefix/"); then
    echo "libraries outside of $prefix: $report" >&2
    exit 1
  fi
  report=$("$prefix/bin/criu" check 2>&1) || { echo "$report" >&2; exit 1; }
  "$prefix/bin/criu" --version | sed -n 's/^Version: //p'
}

# Last resort, e.g. on a distribution that is not Debian: a good CRIU that the machine already has.
install_criu_from_path() {
  local found version
  found=$(command -v criu || echo /usr/sbin/criu)
  version=$("$found" --version 2>/dev/null | sed -n 's/^Version: //p') || true
  if [[ -z $version || $(printf '%s\n' "$CRIU_OLDEST" "$version" | sort -V | head -n 1) != "$CRIU_OLDEST" ]]; then
    die "no usable CRIU: the suites above failed, and this machine has no CRIU >= $CRIU_OLDEST of its own"
  fi
  as_root mkdir -p "$SF_CRIU_PREFIX/bin"
  as_root ln -sfn "$found" "$SF_CRIU_PREFIX/bin/criu"
  echo "$version (this machine's own)" | as_root tee "$SF_CRIU_PREFIX/VERSION" >/dev/null
}
