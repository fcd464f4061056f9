#!/bin/bash

# Prepare the shell.
cd /app/src && . ./build-env && umask && echo "$version"

# The version and its entry.
version=1.4.3; { echo "hello ($version): greet properly"; cat changelog; } >changelog.new && mv changelog.new changelog; head -n 2 changelog

# Correct the spelling and stage.
sed -i 's/Helo/Hello/' hello.sh && stage && ls /app/stage/usr/share/hello

# The sums.
(cd /app/stage && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums && wc -l <DEBIAN/md5sums)

# Build it.
dpkg-deb -Zgzip --root-owner-group --build /app/stage "/app/out/hello_${version}_all.deb" >/dev/null && dpkg-deb -f /app/out/*.deb Version
