// Files and directories that were created in the session or belong to the base root.
#include "scenario.h"

namespace sf::equivalence {

using control::Preserves;
namespace {

// All that stat reports about a tree, except access and change times.
const char* const kListing =
    R"(find . -printf '%P %y %m %U %G %s %T@ %n %i %l\n' | LC_ALL=C sort
find . -type f -exec md5sum {} + | LC_ALL=C sort)";

}  // namespace

std::vector<Scenario> file_scenarios() {
  return {
      {.name = "Tree",
       .prepare =
           {"mkdir -p a/b/c 'with space'; echo one > a/one; echo two > 'a/b/t w o'; : > a/empty",
            "touch -d '2001-02-03 04:05:06.789' a/one; chmod 4751 a/one; chmod 1777 a/b; chown "
            "12:34 a/empty"},
       .probe = {kListing},
       .expect = "a/one f 4751",
       .disturb = {"echo spoilt > a/one; chmod 600 a/one; mv a/b a/x"}},
      {.name = "DeletedBaseFiles",
       .prepare = {"rm -r /usr/share/common-licenses; rm /etc/debian_version"},
       .probe = {"ls -d /usr/share/common-licenses /etc/debian_version 2>&1; true",
                 "ls /usr/share | grep -c licenses; true"},
       .expect = "No such file",
       .disturb = {"mkdir /usr/share/common-licenses; touch /etc/debian_version"}},
      {.name = "DeletedAndRemadeBaseDirectory",
       .prepare = {"rm -r /usr/share/common-licenses; mkdir /usr/share/common-licenses; echo mine "
                   "> /usr/share/common-licenses/GPL-2"},
       .probe = {"ls -i /usr/share/common-licenses; cat /usr/share/common-licenses/GPL-2"},
       .expect = "mine",
       .disturb = {"rm -r /usr/share/common-licenses"}},
      {.name = "RenamedDirectory",
       .prepare =
           {"mkdir -p old/in; echo x > old/in/file; mv old new; mkdir old; echo y > old/file"},
       .probe = {kListing},
       .expect = "new/in/file",
       .disturb = {"rm -r old; mv new old"}},
      {.name = "RenamedBaseDirectory",
       .prepare = {"mv /usr/share/common-licenses /usr/share/moved-licenses; echo new > "
                   "/usr/share/moved-licenses/added"},
       .probe =
           {"cd /usr/share/moved-licenses && find . -printf '%P %y %m %s %i %l\\n' | sort; cd /w",
            "ls /usr/share/common-licenses 2>&1; md5sum /usr/share/moved-licenses/Artistic"},
       .expect = "No such file",
       .disturb = {"mv /usr/share/moved-licenses /usr/share/common-licenses"}},
      {.name = "BaseDirectoryRenamedTwiceAndBack",
       .prepare = {"mv /usr/share/common-licenses /w/one; mv /w/one /w/two; mkdir "
                   "/usr/share/common-licenses",
                   "mv /w/two/Artistic /usr/share/common-licenses/"},
       .probe =
           {"ls -i /w/two /usr/share/common-licenses; md5sum /usr/share/common-licenses/Artistic"},
       .expect = "Artistic",
       .disturb = {"rm -r /w/two"}},
      {.name = "FileAndDirectoryTakeEachOthersPlace",
       .prepare = {"mkdir thing; echo x > thing/in; echo y > other; rm -r thing; mv other thing; "
                   "rm -f gone; mkdir other"},
       .probe = {kListing},
       .expect = "thing f"},
      {.name = "EditedBaseFiles",
       .prepare = {"echo '10.0.0.1 elsewhere' >> /etc/hosts; sed -i s/root/ROOT/ /etc/group; echo "
                   "x > /etc/motd"},
       .probe = {"md5sum /etc/hosts /etc/group /etc/motd; stat -c '%n %i %a %U' /etc/hosts "
                 "/etc/group; tail -n 1 /etc/hosts"},
       .expect = "elsewhere",
       .disturb = {"rm /etc/hosts /etc/group"}},
      {.name = "BaseFileWithOtherPermissions",
       .prepare = {"chmod 640 /etc/debian_version; chown nobody:nogroup /etc/debian_version; chmod "
                   "711 /usr/share/common-licenses"},
       .probe = {"stat -c '%n %a %U %G %i %s' /etc/debian_version /usr/share/common-licenses; cat "
                 "/etc/debian_version"},
       .expect = "640 nobody",
       .disturb = {"chmod 777 /etc/debian_version"}},
      {.name = "ExtendedAttributes",
       .prepare = {R"(touch file; mkdir dir; /usr/bin/python3 -c '
import os
os.setxattr("file", "user.colour", b"blue"); os.setxattr("dir", "user.binary", bytes(range(256)))
os.setxattr("/etc/debian_version", "user.base", b"x")')"},
       .probe = {R"(/usr/bin/python3 -c '
import os
for p in ("file", "dir", "/etc/debian_version"):
    print(p, [(n, os.getxattr(p, n)) for n in sorted(os.listxattr(p)) if n.startswith("user.")])')"},
       .expect = "blue",
       .disturb =
           {R"(/usr/bin/python3 -c 'import os; os.setxattr("file", "user.colour", b"red")')"}},
      {.name = "FileCapabilities",
       .prepare =
           {R"(cp /usr/bin/true tool; chown 12:34 tool; chmod 6755 tool; /usr/bin/python3 -c '
import os
os.setxattr("tool", "security.capability", bytes.fromhex("0100000200200000000000000000000000000000"))')"},
       .probe = {R"(stat -c '%n %a %u %g' tool
/usr/bin/python3 -c 'import os; print(os.getxattr("tool", "security.capability").hex())')"},
       .expect = "01000002002",
       .disturb = {"chown 0:0 tool"}},
      {.name = "SymbolicLinks",
       .prepare = {"mkdir d; echo x > d/f; ln -s d/f relative; ln -s /w/d absolute; ln -s nowhere "
                   "dangling; ln -s loop loop; ln -sf /bin/false /usr/bin/sflink"},
       .probe =
           {kListing,
            "cat relative; ls absolute; readlink dangling /usr/bin/sflink; cat loop 2>&1; true"},
       .expect = "nowhere",
       .disturb = {"ln -sfn / absolute; rm relative"}},
      {.name = "HardLinks",
       .prepare = {"echo a > f1; ln f1 f2; mkdir d; ln f1 d/f3"},
       .probe = {"stat -c '%n %h %i' f1 f2 d/f3", "echo b > f1; cat f2 d/f3",
                 "echo a >> f2; cat f1; echo a > d/f3; cat f1"},
       .expect = "b\nb\n",
       .disturb = {"rm f1; echo other > f1"}},
      {.name = "HardLinkToABaseFile",
       .prepare = {"ln /etc/debian_version /etc/sf-second"},
       .probe = {"stat -c '%n %h %i' /etc/debian_version /etc/sf-second",
                 "echo changed > /etc/debian_version; cat /etc/sf-second",
                 "stat -c '%h %i' /etc/sf-second"},
       .expect = "changed",
       .disturb = {"rm /etc/sf-second"}},
      {.name = "HardLinkedBaseFiles",
       .prepare = {"[ /usr/bin/gunzip -ef /usr/bin/uncompress ]"},
       .probe = {"echo '# more' >> /usr/bin/gunzip; tail -n 1 /usr/bin/uncompress; chmod 711 "
                 "/usr/bin/uncompress",
                 "stat -c '%n %a %h %s' /usr/bin/gunzip /usr/bin/uncompress"},
       .disturb = {"rm /usr/bin/gunzip; echo other > /usr/bin/gunzip"},
       .asking = Asking::kOnce},
      {.name = "HardLinkedBaseFilesCopiedUp",
       .prepare = {"[ /usr/bin/gunzip -ef /usr/bin/uncompress ]; echo '# more' >> /usr/bin/gunzip"},
       .probe = {"stat -c '%n %a %h %i %s' /usr/bin/gunzip /usr/bin/uncompress; tail -n 1 "
                 "/usr/bin/uncompress"},
       .disturb = {"rm /usr/bin/gunzip; echo other > /usr/bin/gunzip"}},
      {.name = "SparseFile",
       .prepare = {"truncate -s 1G sparse; printf x | dd of=sparse bs=1 seek=500M conv=notrunc "
                   "status=none; sync sparse"},
       .probe = {"stat -c %s sparse; [ $(du -k sparse | cut -f1) -lt 1024 ] && echo small",
                 "dd if=sparse bs=1 skip=500M count=1 status=none"},
       .expect = "small",
       .disturb = {"rm sparse"}},
      {.name = "LargeFile",
       .prepare = {"yes 'the quick brown fox' | head -c 48M > large"},
       .probe = {"md5sum large; stat -c '%s %i' large"},
       .expect = "50331648",
       .disturb = {"dd if=/dev/zero of=large bs=1M count=4 seek=7 conv=notrunc status=none"}},
      {.name = "Fifo",
       .prepare = {"mkfifo -m 620 pipe"},
       .probe = {"stat -c '%F %a %i' pipe", "(echo through > pipe &); cat pipe"},
       .expect = "through"},
      {.name = "FifoWithUnreadData",
       .prepare = {"mkfifo pipe; exec 4<>pipe; echo unread >&4; echo 'second line' >&4"},
       .probe = {"read -r a <&4; read -r b <&4; echo $a, $b"},
       .expect = "unread, second line",
       .asking = Asking::kOnce,
       .also_needs = Preserves::kShell},
      {.name = "UnixSocketFile",
       .prepare =
           {R"(/usr/bin/python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("dead.sock")')"},
       .probe = {"stat -c '%F %a %i' dead.sock"},
       .expect = "socket"},
      {.name = "UnlinkedOpenFile",
       .prepare = {"exec 5<>gone; seq 1 5000 >&5; rm gone"},
       .probe =
           {"cat /proc/$$/fd/5 | md5sum; readlink /proc/$$/fd/5; grep ^pos: /proc/$$/fdinfo/5"},
       .expect = "(deleted)",
       .disturb = {"echo more >&5"},
       .also_needs = Preserves::kShell},
      {.name = "UnlinkedBaseFileHeldOpen",
       .prepare = {"exec 5</etc/debian_version; rm /etc/debian_version"},
       .probe = {"cat /proc/$$/fd/5; ls /etc/debian_version 2>&1; true"},
       .expect = "No such file",
       .also_needs = Preserves::kShell},
      {.name = "BaseHardLinkHeldOpen",
       .prepare = {"stat -c %h /usr/bin/perl; exec 5</usr/bin/perl; rm /usr/bin/perl"},
       .probe = {"readlink /proc/$$/fd/5; stat -Lc '%h %i' /proc/$$/fd/5; md5sum < /proc/$$/fd/5",
                 "ls -i /usr/bin/perl*; head -c 4 <&5 | od -c; exec 5</proc/$$/fd/5"},
       .expect = "(deleted)",
       .also_needs = Preserves::kShell},
      {.name = "ProgramAndLibraryThatWereRemoved",
       .prepare = {"cp /bin/sleep nap; cp /bin/tail follow; ln follow another; echo line > text",
                   "./nap 1000 & n=$!; ./follow -f text > out & f=$!; wait-for grep -q line out",
                   "wait-for sh -c '[ $(readlink /proc/$0/exe) = /w/nap ]' $n; rm nap follow"},
       .probe = {"readlink /proc/$n/exe /proc/$f/exe; cmp /proc/$n/exe /bin/sleep && echo same",
                 "stat -Lc '%h %s' /proc/$n/exe /proc/$f/exe; grep -c deleted /proc/$n/maps; ls",
                 "echo more >> text; wait-for grep -q more out; cat out; kill -0 $n $f"},
       .expect = "/w/nap (deleted)",
       .asking = Asking::kOnce,
       .also_needs = Preserves::kProcesses},
      {.name = "DeletedWorkingDirectory",
       .prepare = {"mkdir -p gone/deeper; cd gone/deeper; rm -r /w/gone"},
       .probe = {"pwd; ls; readlink /proc/$$/cwd", "/bin/pwd 2>&1; touch x 2>&1; true"},
       .expect = "(deleted)",
       .disturb = {"mkdir -p /w/gone/deeper"},
       .also_needs = Preserves::kShell},
      {.name = "WorkingDirectoryThatWasRenamed",
       .prepare = {"mkdir -p first; cd first; mv /w/first /w/second"},
       .probe = {"/bin/pwd; readlink /proc/$$/cwd; pwd"},
       .expect = "/w/second",
       .also_needs = Preserves::kShell},
      {.name = "InodeNumbers",
       .prepare =
           {"echo born > born; echo renamed > tmp; mv tmp renamed; mkdir made",
            "stat -c %i /etc/debian_version /usr/share/doc > before; echo >> /etc/debian_version; "
            "touch /usr/share/doc/sf-new",
            "cp /etc/debian_version copy; mv /etc/motd /etc/motd.old 2>/dev/null; ln -s x link"},
       .probe = {"stat -c '%n %i' * /etc/debian_version /usr/share/doc /usr/share/doc/bash /etc "
                 "/usr / /etc/motd.old; cat before",
                 "ls -i /w /usr/share/common-licenses",
                 "ls -ia /usr/share/doc | LC_ALL=C sort | md5sum"},
       .expect = "born",
       .disturb = {"rm born; echo again > born; mv renamed again"}},
      {.name = "TemporaryDirectories",
       .prepare = {"for d in /tmp /run /dev/shm /var/tmp; do mkdir $d/sf-dir; echo $d > "
                   "$d/sf-dir/file; done"},
       .probe = {"for d in /tmp /run /dev/shm /var/tmp; do stat -c '%n %a %i' $d $d/sf-dir; cat "
                 "$d/sf-dir/file; done"},
       .expect = "/dev/shm",
       .disturb = {"rm -r /tmp/sf-dir /run/sf-dir /dev/shm/sf-dir /var/tmp/sf-dir"}},
      {.name = "Devices",
       .prepare = {"echo x > /dev/null; exec 7</dev/zero 8>/dev/full"},
       .probe = {"ls /dev; stat -c '%n %F %a %t %T' /dev/null /dev/zero /dev/full /dev/random "
                 "/dev/urandom /dev/tty",
                 "head -c 4 <&7 | od -An -tx1; echo x >&8; head -c 8 /dev/urandom | wc -c"},
       .expect = "null",
       .also_needs = Preserves::kShell},
      {.name = "GitCloneOfARepositoryBornHere",
       .prepare =
           {R"(export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
git config --global user.name tester; git config --global user.email tester@example.invalid
git init -q -b main src && cd src && for i in 1 2 3; do echo $i > file$i; git add .; git commit -qm "commit $i"; done
cd /w && git clone -q --bare src /srv/r)"},
       .probe = {"rm -rf x; git clone -q /srv/r x && git -C x log --format='%h %s' && ls x",
                 "git -C /srv/r fsck 2>&1",
                 "rm -rf y; git clone -q src y && git -C y status --porcelain && cat y/file3"},
       .expect = "commit 3",
       .disturb = {"rm -rf /srv/r/objects; echo x > src/file1"}},
      {.name = "GitStatusStaysClean",
       .prepare =
           {R"(git config --global user.name tester; git config --global user.email tester@example.invalid
git init -q -b main repo && cd repo && for i in $(seq 1 60); do echo $i > f$i; done
git add . && git commit -qm all && touch -d '1 hour ago' f* && git status > /dev/null)"},
       .probe = {"git status --porcelain; git diff-files --name-only; git stash list; git log "
                 "--format=%s"},
       .expect = "all",
       .disturb = {"echo x > f1; rm f2; git rm -q f3; git commit -qam broken"},
       .also_needs = Preserves::kShell},
      {.name = "GitWithUncommittedWork",
       .prepare =
           {R"(git config --global user.name tester; git config --global user.email tester@example.invalid
git init -q -b main repo && cd repo && echo 1 > a && git add . && git commit -qm one
echo 2 > a && git stash -q && git checkout -qb topic && echo 3 > b && git add b && echo 4 > c)"},
       .probe = {"git status --porcelain --branch; git stash list; git diff --cached; git stash "
                 "show -p"},
       .expect = "## topic",
       .disturb = {"git stash drop -q; git reset -q --hard"},
       .also_needs = Preserves::kShell},
  };
}

}  // namespace sf::equivalence
