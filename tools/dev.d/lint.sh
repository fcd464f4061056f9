# Format and lint. Checks only files that git tracks or would add.

cxx_sources() {
  git -C "$SF_ROOT" ls-files --cached --others --exclude-standard -- '*.cc' '*.h' '*.c' | while read -r file; do
    [[ -f $SF_ROOT/$file ]] && echo "$file"
  done
  return 0
}

format_sources() {
  say "formatting"
  (cd "$SF_ROOT" && cxx_sources | xargs -r clang-format -i)
}

check_format() {
  say "checking the format"
  (cd "$SF_ROOT" && cxx_sources | xargs -r clang-format --dry-run --Werror) || die "run tools/dev fmt"
}

# The C++ sources that differ from the branch point with main; on main itself, from the commit before.
changed_sources() {
  local base
  base=$(git -C "$SF_ROOT" merge-base HEAD main 2>/dev/null) || return 0
  if [[ $base == $(git -C "$SF_ROOT" rev-parse HEAD) ]]; then
    base=$(git -C "$SF_ROOT" rev-parse --verify --quiet HEAD~1 || git -C "$SF_ROOT" hash-object -t tree /dev/null)
  fi
  {
    git -C "$SF_ROOT" diff --name-only --diff-filter=d "$base" -- '*.cc'
    git -C "$SF_ROOT" ls-files --others --exclude-standard -- '*.cc'
  } | sort -u
}

# lint_files <file...>. The batches of the ordinary build hide the sources from clang-tidy: it has a configuration of
# its own, which is never built.
lint_files() {
  (cd "$SF_ROOT" && quietly cmake --preset lint) || die "cmake --preset lint failed"
  (cd "$SF_ROOT" && printf '%s\n' "$@" |
    xargs -P "$SF_JOBS" -n 1 clang-tidy --quiet -p build/lint 2> >(grep -v 'warnings\{0,1\} generated' >&2)) || die "clang-tidy has complaints"
}

lint_changed() {
  local files
  mapfile -t files < <(changed_sources)
  ((${#files[@]})) || return 0
  say "linting ${#files[@]} changed files"
  lint_files "${files[@]}"
}

lint_all() {
  local files
  mapfile -t files < <(cxx_sources | grep '\.cc$')
  say "linting all ${#files[@]} sources"
  lint_files "${files[@]}"
}
