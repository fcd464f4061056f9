# Further needs of the backends over other tools: gVisor, a small root file system, and a kernel for virtual machines.

SF_GVISOR=/opt/statefork/gvisor
SF_VM_GUEST=/opt/statefork/vm
SF_SMALL_ROOT=$SF_ROOT/build/roots/small
SF_FULL_ROOT=$SF_ROOT/build/roots/full

install_engines() {
  install_gvisor
  install_vm_guest
  make_small_root
}

# The kernel of the vm backend's machines: Debian's for virtual machines, and its drivers for disk and port. The names
# of the drivers' files give the order of loading.
install_vm_guest() {
  [[ ! -d $SF_VM_GUEST ]] || return 0
  say "installing a guest kernel into $SF_VM_GUEST"
  (
    work=$(mktemp -d)
    trap 'rm -rf "$work"; as_root rm -rf "$SF_VM_GUEST.draft"' EXIT
    cd "$work"
    package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image.*\)/\1/p' | head -n 1)
    quietly apt-get -q -o APT::Sandbox::User=root download "$package" || die "the guest kernel could not be fetched"
    dpkg-deb -x linux-image-*.deb kernel
    as_root mkdir -p "$SF_VM_GUEST.draft/modules"
    as_root cp kernel/boot/vmlinuz-* "$SF_VM_GUEST.draft/vmlinuz"
    declare -A taken=()
    for module in virtio_pci virtio_blk virtio_console; do take_module "$module" "$SF_VM_GUEST.draft/modules"; done
    as_root mv -T "$SF_VM_GUEST.draft" "$SF_VM_GUEST"
  )
}

# take_module NAME DIRECTORY: copies a driver of ./kernel after its dependencies, which differ between versions. `taken`
# lists the copied drivers.
take_module() {
  local module=$1 directory=$2 found needed
  [[ -z ${taken[$module]:-} ]] || return 0
  taken[$module]=1
  found=$(find kernel/lib/modules -name "${module//_/[-_]}.ko*" | head -n 1)
  [[ -n $found ]] || return 0 # a part of the kernel
  case $found in
    *.xz) xz -d "$found" && found=${found%.xz} ;;
    *.zst) zstd -q -d --rm "$found" && found=${found%.zst} ;;
  esac
  for needed in $(tr '\0' '\n' <"$found" | sed -n 's/^depends=//p' | tr ',' ' '); do take_module "$needed" "$directory"; done
  as_root cp "$found" "$directory/$(printf %02d $((10 + $(ls "$directory" | wc -l))))-$module.ko"
}

# Debian 12's runsc is too old to take checkpoints, and that of sid does not start; Debian 13's is one static program.
install_gvisor() {
  [[ ! -x $SF_GVISOR/bin/runsc ]] || return 0
  say "installing gVisor into $SF_GVISOR"
  (
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    chmod 755 "$work"
    mirror=$(debian_mirror) || die "gVisor needs a Debian mirror"
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    if ! fetch_debs runsc "$work/debs" "$mirror" trixie "$keyring" && newest_keyring "$work/keyring"; then
      fetch_debs runsc "$work/debs" "$mirror" trixie "$work/keyring$keyring" || die "gVisor could not be fetched"
    fi
    dpkg-deb -x "$work"/debs/debs/runsc_*.deb "$work/root"
    as_root mkdir -p "$SF_GVISOR/bin"
    as_root install -m 755 "$work/root/usr/bin/runsc" "$SF_GVISOR/bin/runsc.draft"
    as_root mv "$SF_GVISOR/bin/runsc.draft" "$SF_GVISOR/bin/runsc"
  )
}

# Debian's minimal variant and what the tests run inside. Renamed at the end, so an existing root is complete.
make_small_root() {
  [[ ! -d $SF_SMALL_ROOT ]] || return 0
  local mirror codename draft=$SF_SMALL_ROOT.draft
  mirror=$(debian_mirror) || die "a small root needs a Debian mirror"
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  say "making a small $codename root in $SF_SMALL_ROOT"
  as_root rm -rf --one-file-system "$draft"
  as_root mkdir -p "$(dirname "$draft")"
  # debootstrap mounts /proc while it works: in a namespace of its own, so that an interruption leaves no mount.
  quietly as_root unshare --mount debootstrap --variant=minbase --include=python3-minimal,procps "$codename" "$draft" "$mirror"
  as_root rm -rf "$draft"/var/lib/apt/lists "$draft"/var/cache/apt "$draft"/usr/share/doc "$draft"/usr/share/locale
  as_root mv -T "$draft" "$SF_SMALL_ROOT"
}

# The small root plus all programs of the equivalence suite, for the backends that cannot use the host's root.
make_full_root() {
  [[ ! -d $SF_FULL_ROOT ]] || return 0
  make_small_root
  local draft=$SF_FULL_ROOT.draft
  say "making a root with servers and tools in $SF_FULL_ROOT"
  as_root rm -rf --one-file-system "$draft"
  as_root cp -a "$SF_SMALL_ROOT" "$draft"
  use_own_apt "$draft"
  as_root unshare --mount bash -euc '
    root=$1 && shift
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    exec >"$root/var/log/install.log" 2>&1
    chroot "$root" apt-get -q update
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get -q -y --no-install-recommends install "$@"
    chroot "$root" apt-get clean
  ' - "$draft" python3 python3-venv redis-server nginx-light postgresql sqlite3 openssh-client nodejs tmux curl netcat-openbsd git psmisc \
    iproute2 bsdutils libcap2-bin ||
    die "the packages could not be installed: $draft/var/log/install.log"
  as_root rm -rf "$draft"/var/lib/apt/lists "$draft"/usr/share/doc "$draft"/usr/share/locale
  as_root mkdir -p "$draft/usr/share/doc/bash"
  as_root mv -T "$draft" "$SF_FULL_ROOT"
}
