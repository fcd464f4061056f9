#include "branch_state.h"

namespace sf::faults {
namespace {

constexpr milliseconds kTimeout{20'000};

// The coprocess is started once; a restored shell reaches it through the descriptors that it holds.
constexpr const char* kPut = R"([[ -n $KEEP_PID ]] || {
  coproc KEEP { while read -r verb value; do [[ $verb = set ]] && held=$value; echo "$held"; done; }
}
echo "set $WORD" >&"${KEEP[1]}" && read -r _ <&"${KEEP[0]}" && echo "$WORD" > /root/word
[[ -z $HEAVY ]] || { echo "$WORD" >&8 && read -r -t 20 _ <&9; })";

constexpr const char* kLook = R"(echo get >&"${KEEP[1]}" && read -r held <&"${KEEP[0]}"
heavy=$held; [[ -z $HEAVY ]] || { echo get >&8 && read -r -t 20 heavy <&9; }
echo "$WORD $(</root/word) $held $heavy")";

constexpr const char* kHeavy = R"(mkfifo /tmp/in /tmp/out; exec 8<>/tmp/in 9<>/tmp/out
cat > /tmp/heavy.py <<'END'
import socket, sys, threading
pages = range(0, 24 << 20, 4096)
memory = bytearray(24 << 20)
server = socket.create_server(("127.0.0.1", 0))
near = socket.create_connection(server.getsockname())
far, _ = server.accept()
def echo():
    while True: far.sendall(far.recv(100))
threading.Thread(target=echo, daemon=True).start()
threading.Thread(target=threading.Event().wait, daemon=True).start()
for line in sys.stdin:
    word = line.encode()
    if word != b"get\n":
        for at in pages: memory[at:at + len(word)] = word
    word = bytes(memory[:memory.index(b"\n") + 1])
    torn = [at for at in pages if memory[at:at + len(word)] != word]
    near.sendall(b"torn-at-%d\n" % torn[0] if torn else word)
    print(near.recv(100).decode(), end="", flush=True)
END
/usr/bin/python3 /tmp/heavy.py <&8 >&9 8<&- 9<&- & HEAVY=$!
sleep 100000 & kill -STOP $!)";

Result<std::string> run(waypoint::Waypoint& manager, const waypoint::BranchId& branch,
                        const std::string& command) {
  SF_TRY_ASSIGN(Observation result,
                manager.exec(branch, {.command = command, .timeout = kTimeout}));
  if (result.timed_out || result.exit_code != 0 || result.shell_restarted)
    return fail(ErrorCode::kOs,
                "exit " + std::to_string(result.exit_code) + " after: " + result.output);
  return result.output;
}

}  // namespace

Status start_heavy(waypoint::Waypoint& manager, const waypoint::BranchId& branch) {
  SF_TRY(run(manager, branch, kHeavy));
  return Ok{};
}

Status put_word(waypoint::Waypoint& manager, const waypoint::BranchId& branch,
                const std::string& word) {
  SF_TRY(run(manager, branch, "WORD=" + word + "\n" + kPut));
  return Ok{};
}

Result<std::string> word_in(waypoint::Waypoint& manager, const waypoint::BranchId& branch) {
  SF_TRY_ASSIGN(std::string seen, run(manager, branch, kLook));
  std::string word = seen.substr(0, seen.find(' '));
  if (seen != word + " " + word + " " + word + " " + word + "\n")
    return "words that differ: " + seen;
  return word;
}

Result<std::string> word_at(waypoint::Waypoint& manager, const waypoint::CheckpointId& checkpoint) {
  auto forks = manager.fork(checkpoint, 1);
  if (!forks[0]) return std::move(forks[0]).error().while_doing("forking " + checkpoint.value());
  auto word = word_in(manager, *forks[0]);
  SF_TRY(manager.end(*forks[0]));
  return word;
}

}  // namespace sf::faults
