# A new machine in a directory: a minimal Debian root of the machine's own release, entered with its own mount and PID
# namespaces. Every mount is made inside that namespace, so none can be left behind; the directory is removed at the end.

# run_in_fresh_root [--tree] [-- command...]
run_in_fresh_root() {
  local source=HEAD
  [[ ${1:-} != --tree ]] || { source=tree && shift; }
  [[ ${1:-} != -- ]] || shift
  # The README's two commands.
  (($#)) || set -- bash -c 'tools/dev demo && tools/dev test'
  setup_for fresh
  (
    fresh=$(mktemp -d /tmp/statefork-fresh.XXXXXX)
    trap 'as_root rm -rf --one-file-system "$fresh"' EXIT
    make_fresh_root "$fresh/root"
    put_sources "$fresh/root/src/statefork" "$source"
    say "entering the fresh root: $*"
    as_root unshare --mount --pid --fork --kill-child bash -c "$(declare -f enter_root); enter_root \"\$@\"" - "$fresh/root" "$@"
  )
}

# Debian's minimal variant plus this machine's apt configuration, nothing else.
make_fresh_root() {
  local root=$1 mirror codename
  mirror=$(debian_mirror) || die "a fresh root needs a Debian mirror"
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  say "making a fresh $codename root in $root"
  # debootstrap mounts /proc while it works: in a namespace of its own, so that an interruption leaves no mount.
  quietly as_root unshare --mount debootstrap --variant=minbase "$codename" "$root" "$mirror"
  use_own_apt "$root"
}

# The committed state, or with `tree` the files of the working tree that git would commit.
put_sources() {
  local target=$1 source=$2
  if [[ $source == tree ]]; then
    as_root mkdir -p "$target"
    git -C "$SF_ROOT" ls-files -z --cached --others --exclude-standard |
      as_root tar -C "$SF_ROOT" --null --ignore-failed-read -T - -cf - 2>/dev/null | as_root tar -C "$target" -xf -
    as_root git -C "$target" init -q
  else
    as_root git clone -q --no-hardlinks "$SF_ROOT" "$target"
  fi
}

# Runs inside the new namespaces. pivot_root rather than chroot: the new root is then the root of the mount namespace,
# as on a real machine, and overlays, user namespaces and CRIU behave as on a real machine.
enter_root() {
  set -e
  local root=$1
  shift
  mount --make-rprivate /
  mount --bind "$root" "$root"
  cd "$root"
  mount --rbind /dev dev
  mount --rbind /sys sys
  mount -t proc proc proc
  pivot_root . mnt
  umount --lazy /mnt
  cd /src/statefork
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=xterm LANG=C.UTF-8 \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
}
