# The documentation site, by MkDocs Material in an environment of its own below build/.

SF_MKDOCS=mkdocs-material==9.8.1

# Builds build/docs/site. A broken link or anchor is an error.
build_docs() {
  local dir=$SF_ROOT/build/docs
  if [[ $(cat "$dir/venv/installed" 2>/dev/null) != "$SF_MKDOCS" ]]; then
    say "installing $SF_MKDOCS into build/docs/venv"
    rm -rf "$dir/venv"
    mkdir -p "$dir"
    quietly python3 -m venv "$dir/venv" || die "python3 -m venv failed; is python3-venv installed?"
    quietly "$dir/venv/bin/pip" install "$SF_MKDOCS" || die "pip could not install $SF_MKDOCS; is the network there?"
    echo "$SF_MKDOCS" >"$dir/venv/installed"
  fi
  python3 "$SF_ROOT/tools/dev.d/stage_docs.py" "$SF_ROOT" "$dir/pages"
  # Not --quiet: it also hides warnings from --strict.
  (cd "$SF_ROOT" && quietly env NO_MKDOCS_2_WARNING=1 "$dir/venv/bin/mkdocs" build --strict --clean) ||
    die "the site was not built"
  say "the site is in build/docs/site: open build/docs/site/index.html"
}
