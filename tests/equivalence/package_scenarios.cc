// Installed software: activated environments, and trees of many small files.
#include "scenario.h"

namespace sf::equivalence {

using control::Preserves;
namespace {

const char* const kTreeHash =
    R"(cd /w && find . -printf '%P %y %m %s %l\n' | LC_ALL=C sort | md5sum; find . | wc -l
find . -type f -print0 | LC_ALL=C sort -z | xargs -0 cat | md5sum)";

}  // namespace

std::vector<Scenario> package_scenarios() {
  return {
      {.name = "HandMadeEnvironment",
       .prepare =
           {R"(mkdir -p env/bin; printf '#!/bin/sh\necho tool of the environment\n' > env/bin/tool; chmod +x env/bin/tool
cat > env/bin/activate <<'END'
deactivate() { PATH=$_OLD_PATH; PS1=$_OLD_PS1; unset -f deactivate; unset VIRTUAL_ENV _OLD_PATH _OLD_PS1; hash -r; }
VIRTUAL_ENV=/w/env; export VIRTUAL_ENV
_OLD_PATH=$PATH; PATH=$VIRTUAL_ENV/bin:$PATH; export PATH
_OLD_PS1=${PS1-}; PS1="(env) ${PS1-}"; hash -r
END
. env/bin/activate)"},
       .probe = {"tool; type tool; echo $VIRTUAL_ENV; echo $PATH",
                 "declare -f deactivate; declare -p _OLD_PATH"},
       .expect = "tool of the environment",
       .disturb = {"deactivate; tool"},
       .also_needs = Preserves::kShell},
      {.name = "PythonEnvironment",
       .prepare =
           {"/usr/bin/python3 -m venv --without-pip env && . env/bin/activate",
            R"(site=$(python -c 'import site; print(site.getsitepackages()[0])'); mkdir $site/little
echo 'VALUE = 42' > $site/little/__init__.py; python -c 'import little')"},
       .probe = {"command -v python; python -c 'import sys, little; print(sys.prefix, "
                 "little.VALUE, little.__cached__)'",
                 "ls -i $site/little $site/little/__pycache__"},
       .expect = "/w/env 42",
       .disturb = {"deactivate; rm -r $site/little"},
       .also_needs = Preserves::kShell},
      {.name = "NpmLikeTree",
       .prepare = {R"(/usr/bin/python3 - <<'END'
import json, os
for p in range(250):
    base = f"node_modules/pkg-{p}/lib"
    os.makedirs(base)
    json.dump({"name": f"pkg-{p}", "version": "1.0.%d" % p}, open(f"node_modules/pkg-{p}/package.json", "w"))
    for f in range(6): open(f"{base}/file{f}.js", "w").write(f"module.exports = {p * f};\n" * (f + 1))
os.makedirs("node_modules/.bin")
for p in range(100): os.symlink(f"../pkg-{p}/lib/file0.js", f"node_modules/.bin/tool-{p}")
END)"},
       .probe = {kTreeHash, "node -p \"require('/w/node_modules/pkg-7/lib/file5.js')\""},
       .expect = "35",
       .disturb = {"rm -rf node_modules/pkg-1*; find node_modules -name '*3.js' -delete"}},
      {.name = "PipLikeTree",
       .prepare = {R"(/usr/bin/python3 - <<'END'
import os, sys
for p in range(120):
    base = f"site/pkg{p}"
    os.makedirs(base)
    for f in range(8): open(f"{base}/m{f}.py", "w").write(f"x = {p * f}\n")
    open(f"{base}/__init__.py", "w").write("")
    os.makedirs(f"site/pkg{p}-1.0.dist-info")
    open(f"site/pkg{p}-1.0.dist-info/RECORD", "w").write("\n".join(f"pkg{p}/m{f}.py,," for f in range(8)))
END
/usr/bin/python3 -m compileall -q site)"},
       .probe =
           {kTreeHash,
            "PYTHONPATH=site /usr/bin/python3 -c 'import pkg9.m7 as m; print(m.x, m.__cached__)'"},
       .expect = "63",
       .disturb = {"find site -name '*.pyc' -delete; echo 'x = 0' > site/pkg9/m7.py"}},
      {.name = "AptLikeTree",
       .prepare = {R"(mkdir -p /usr/lib/sf-package /usr/share/doc/sf-package
for i in $(seq 1 300); do echo "data $i" > /usr/lib/sf-package/file$i; done
printf '#!/bin/sh\necho the tool runs\n' > /usr/bin/sf-tool; chmod 755 /usr/bin/sf-tool
printf '\nPackage: sf-package\nStatus: install ok installed\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody <nobody@example.invalid>\nDescription: test\n' >> /var/lib/dpkg/status
printf '/.\n/usr/bin/sf-tool\n' > /var/lib/dpkg/info/sf-package.list
ln /usr/bin/sf-tool /usr/bin/sf-alias; ldconfig)"},
       .probe = {"sf-tool; dpkg-query -W -f '${Package} ${Version} ${Status}\\n' sf-package; dpkg "
                 "-L sf-package",
                 "cat /usr/lib/sf-package/* | md5sum; md5sum /var/lib/dpkg/status "
                 "/etc/ld.so.cache; stat -c '%h %i' /usr/bin/sf-alias"},
       .expect = "install ok installed",
       .disturb = {"rm -r /usr/lib/sf-package /usr/bin/sf-tool; sed -i '/sf-package/,$d' "
                   "/var/lib/dpkg/status"}},
      {.name = "BuildTree",
       .prepare = {R"(cat > main.sh <<'END'
echo built
END
printf 'all: out\nout: main.sh\n\tcp main.sh out\n\t@echo made >> log\n' > Makefile
build() { [ out -nt main.sh ] || { cp main.sh out; echo made >> log; }; }
touch -d '1 minute ago' main.sh; build; build)"},
       .probe = {"build; cat log; sh out; [ out -nt main.sh ] && echo newer"},
       .expect = "made\nbuilt\nnewer",
       .disturb = {"touch main.sh; build"},
       .also_needs = Preserves::kShell},
  };
}

}  // namespace sf::equivalence
