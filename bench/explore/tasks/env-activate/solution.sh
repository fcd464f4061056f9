#!/bin/bash

# Toolchain v2.
cd /app/project && . /opt/toolchain/v2/activate && tool --version

# Initialise the project.
tool init && cat tool.lock

# Profile and alias.
export TOOL_PROFILE=release; alias build='tool build --profile "$TOOL_PROFILE"'; alias build

# Build, and go where the result is.
build && pushd out >/dev/null && ls

# The sums, deactivate, and write down how the shell is.
sha256sum app-* >SHA256SUMS; popd >/dev/null; deactivate
{
  pwd
  case $PATH in *toolchain*) echo dirty ;; *) echo clean ;; esac
  printenv TOOL_PROFILE; alias build; type -t deactivate || echo none
} >/app/session
cat /app/session
