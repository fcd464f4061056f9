#include "scenario.h"

namespace sf::equivalence {

std::vector<std::string> damage() {
  return {
      R"(cd /usr; set -- astray; for name in $(compgen -v | grep '^[a-z]'); do
unset -v "$name" 2>/dev/null || unset -n "$name"; done 2>/dev/null; plain=spoilt; IFS=$' \t\n'; umask 0777; true)",
      R"(for name in $(compgen -A function); do unset -f "$name"; done; unalias -a; hash -r; history -c; complete -r
trap - USR1 ERR RETURN PIPE EXIT; dirs -c; RANDOM=1; OPTIND=1; shopt -s dotglob; true)",
      R"(printf '#!/bin/sh\nexit 1\n' > /usr/local/bin/wait-for
rm -rf /w/* /w/.[a-z]* /srv/r /dev/shm/sf-* /tmp/sf* /run/sf* /usr/share/doc/bash
echo garbled > /etc/debian_version; echo garbled > /etc/motd; mkdir -p /w; echo astray > /w/astray; true)",
      // Spares only the shell itself and PID 1.
      R"(kill -9 -1; disown -a; true)",
      R"(for port in 8000 8080 6379 7801 7802; do nc -lk 127.0.0.1 $port >/dev/null 2>&1 & done; disown -a; true)",
      R"(exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; stty -echo intr ^G; true)",
  };
}

std::vector<std::string> blinding() {
  return {
      R"(set -o noclobber; shopt -s nullglob extglob; ulimit -S -n 64; trap ':' USR2
alias ls=false cat=false echo=false stateful=false; PATH=/nowhere)",
  };
}

}  // namespace sf::equivalence
