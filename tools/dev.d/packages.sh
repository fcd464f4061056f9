# Distribution packages, installed without prompts. dpkg's database is the only record: a query takes some milliseconds
# and is never out of date, even if the build directory came from another machine.

PACKAGES_build=(g++ cmake ninja-build pkg-config libgtest-dev libgmock-dev librapidcheck-dev nlohmann-json3-dev libcli11-dev libfmt-dev
  libvterm-dev libcap-dev libsqlite3-dev libcpp-httplib-dev libcurl4-openssl-dev libarchive-dev libyaml-cpp-dev libtomlplusplus-dev ccache mold git python3 patchelf btrfs-progs e2fsprogs iproute2 procps util-linux)
PACKAGES_test=(redis-server nginx-light postgresql sqlite3 openssh-client less nodejs tmux python3 curl netcat-openbsd strace git psmisc
  lsof bc file mypy python3-pip python3-setuptools python3-wheel python3-venv man-db zsh fish ca-certificates chromium
  vim nano htop mc dialog fzf gdb vttest ncurses-examples ncurses-term postgresql-client)
# Where Node.js is not Debian's, it brings its own npm, and the two exclude each other.
command -v npm >/dev/null || PACKAGES_test+=(npm)
# The engines of other backends. A dockerd of another vendor is accepted.
PACKAGES_test+=(podman runc debootstrap qemu-system-x86 qemu-utils)
command -v dockerd >/dev/null || PACKAGES_test+=(docker.io)
PACKAGES_lint=(clang-format clang-tidy git)
PACKAGES_fuzz=(clang libclang-rt-dev llvm) # the last for names in a finding's stack
PACKAGES_fresh=(debootstrap git)

# Services of the test packages. Tests start their own instances; the distribution's services stay off.
SERVICES=(redis-server nginx postgresql docker)

apt_quiet() {
  # RUNLEVEL=1 makes invoke-rc.d leave services alone, without a policy file that could be left behind.
  as_root env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true \
    apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -q -y "$@"
}

# use_own_apt <root>: copies this machine's apt configuration into the root.
use_own_apt() {
  local root=$1
  as_root rm -rf "$root/etc/apt/sources.list" "$root"/var/lib/apt/lists "$root"/var/cache/apt/archives
  as_root cp -a /etc/apt/. "$root/etc/apt"
  # Repositories of other vendors come with keyrings elsewhere; apt looks at those it can find.
  as_root cp -an /usr/share/keyrings/. "$root/usr/share/keyrings"
  as_root cp -L /etc/resolv.conf /etc/hosts "$root/etc"
  # Authorities that this machine trusts beside the usual ones, for its way to the outside.
  as_root mkdir -p "$root/usr/local/share"
  [[ ! -d /usr/local/share/ca-certificates ]] || as_root cp -a /usr/local/share/ca-certificates "$root/usr/local/share/"
}

# Prints the given packages that are not installed.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed \([^:]*\).*/\1/p') || true # dpkg-query fails when one is unknown
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || echo "$package"
  done
}

# Succeeds if the local package lists have all of these packages.
packages_known() {
  apt-get -s -q --no-install-recommends install "$@" >/dev/null 2>&1
}

# setup_for <set>...: installs the missing packages of the named sets.
setup_for() {
  command -v apt-get >/dev/null ||
    die "this machine has no apt-get; install by hand what tools/dev.d/packages.sh lists, then use cmake --preset dev"
  local set wanted=() missing
  for set in "$@"; do
    local -n list="PACKAGES_$set"
    wanted+=("${list[@]}")
  done
  mapfile -t missing < <(missing_packages "${wanted[@]}" | sort -u)
  ((${#missing[@]})) || return 0

  say "installing ${#missing[@]} packages: ${missing[*]}"
  if ! packages_known "${missing[@]}"; then
    say "fetching package lists"
    quietly apt_quiet update || die "apt-get update failed; is the network there?"
  fi
  local fresh_services
  mapfile -t fresh_services < <(services_absent)
  if ! quietly apt_quiet --no-install-recommends install "${missing[@]}"; then
    # Lists that are some days old name files that the mirror no longer has.
    say "trying again with new package lists"
    quietly apt_quiet update || die "apt-get update failed"
    quietly apt_quiet --no-install-recommends install "${missing[@]}" || die "apt-get could not install the packages"
  fi
  stop_services "${fresh_services[@]}"
}

# Prints the services of SERVICES that this machine does not have yet: only these may be disabled afterwards.
services_absent() {
  local service
  for service in "${SERVICES[@]}"; do
    [[ -e /etc/init.d/$service ]] || echo "$service"
  done
}

# systemd ignores RUNLEVEL, so if it runs, the new services are stopped and disabled again.
stop_services() {
  [[ -d /run/systemd/system ]] || return 0
  local service
  for service in "$@"; do
    [[ -e /etc/init.d/$service ]] && quietly as_root systemctl disable --now "$service"
  done
  return 0
}
