#!/bin/bash

# Copy under the right umask.
cd /srv/site; umask 027; shopt -s extglob nullglob; pushd releases >/dev/null; cp -r 41 42; stat -c '%A %n' 42

# Remove all but three.
others='!(public|VERSION|config.json)'; pushd 42 >/dev/null; rm -r $others; ls

# Version and logs.
echo 42 >VERSION; mkdir logs; stat -c '%a %n' *

# Point to it.
popd >/dev/null; keep=(4[0-9]); ln -sfn releases/42 ../current; readlink ../current

# Write how the shell is.
popd >/dev/null; { umask; shopt -p extglob nullglob; dirs -p; echo "${keep[*]}"; } >session; cat session
