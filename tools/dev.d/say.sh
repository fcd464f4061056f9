# Messages, logs and root rights for tools/dev.

say() { printf '\033[1m==>\033[0m %s\n' "$*"; }

die() {
  printf 'tools/dev: %s\n' "$*" >&2
  exit 1
}

# Runs a command as root: directly, or through sudo.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo --preserve-env=STATEFORK_CRIU_PREFIX,STATEFORK_TABLE,STATEFORK_MATRIX "$@"
  else
    die "root rights are needed for: $*   (you are $(id -un), and there is no sudo)"
  fi
}

# Runs a command with its output in a log; the log's end is shown only when the command fails.
quietly() {
  local log
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    rm -f "$log"
  else
    local status=$?
    tail -n 40 "$log" >&2
    rm -f "$log"
    return "$status"
  fi
}
