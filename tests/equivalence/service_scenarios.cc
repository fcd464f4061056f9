// Real programs that keep running: interpreters, servers, databases, terminals.
#include "scenario.h"

namespace sf::equivalence {
namespace {

const char* const kCounterServer = R"(cat > counter.py <<'END'
import http.server
class Counter(http.server.BaseHTTPRequestHandler):
    count = 0
    def do_GET(self):
        if self.path == "/add": Counter.count += 1
        body = b"count %d\n" % Counter.count
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args): pass
http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Counter).serve_forever()
END
/usr/bin/python3 counter.py > /dev/null 2>&1 &
wait-for curl -sf http://127.0.0.1:8000/ && curl -s http://127.0.0.1:8000/add && curl -s http://127.0.0.1:8000/add)";

const char* const kNodeServer = R"(cat > counter.js <<'END'
let count = 40;
require("http").createServer((request, response) => {
  if (request.url === "/add") count++;
  response.end(`node counts ${count}\n`);
}).listen(8080, "127.0.0.1");
END
node counter.js > /dev/null 2>&1 &
wait-for curl -sf http://127.0.0.1:8080/ && curl -s http://127.0.0.1:8080/add)";

// Starts a program that reads commands from a FIFO; the shell holds the FIFO open as descriptor 4.
std::string fed_by_fifo(const std::string& program) {
  return "mkfifo in; exec 4<>in; " + program + " < in >> out 2>/dev/null &";
}

const char* const kPostgres =
    R"(pgbin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1); install -d -o nobody pg
su nobody -s /bin/bash -c "$pgbin/initdb -D /w/pg/data -A trust -U nobody --no-sync --locale=C > /w/pg/initdb.log 2>&1 &&
$pgbin/pg_ctl -w -D /w/pg/data -l /w/pg/log -o '-k /w/pg -F -c listen_addresses=' start > /dev/null")";

const char* const kNginx = R"(mkdir -p ng/site; echo 'served by nginx' > ng/site/index.html
cat > ng/conf <<'END'
user nobody nogroup;
worker_processes 2;
pid /w/ng/pid;
error_log /w/ng/error.log;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path /w/ng/t1; proxy_temp_path /w/ng/t2; fastcgi_temp_path /w/ng/t3;
  uwsgi_temp_path /w/ng/t4; scgi_temp_path /w/ng/t5;
  server { listen 127.0.0.1:8080; root /w/ng/site; }
}
END
nginx -c /w/ng/conf -e /w/ng/error.log && wait-for curl -sf http://127.0.0.1:8080/)";

}  // namespace

std::vector<Scenario> service_scenarios() {
  return {
      {.name = "PythonInterpreter",
       .prepare = {fed_by_fifo("/usr/bin/python3 -q -i -u"),
                   "printf 'x = 41\\nl = [1, [2, 3]]\\nd = {}\\nd[id(d)] = "
                   "d\\nprint(\"ready\")\\n' >&4; wait-for grep ready out"},
       .probe = {": > out; echo 'print(x + 1, l, id(l), list(d)); print(\"END\")' >&4; wait-for "
                 "grep END out; cat out"},
       .expect = "42 [1, [2, 3]]",
       .disturb = {"echo 'x = 0; l.clear()' >&4"}},
      {.name = "PythonGenerator",
       .prepare = {fed_by_fifo("/usr/bin/python3 -q -i -u"),
                   "printf 'import random; random.seed(3); g = (i * i for i in range(99)); "
                   "next(g), next(g)\\nprint(\"ready\")\\n' >&4; wait-for grep ready out"},
       .probe = {": > out; echo 'print(next(g), random.random()); print(\"END\")' >&4; wait-for "
                 "grep END out; cat out"},
       .expect = "4 ",
       .asking = Asking::kOnce},
      {.name = "PythonHttpServer",
       .prepare = {"mkdir site; echo hello > site/index.html; /usr/bin/python3 -m http.server 8000 "
                   "--bind 127.0.0.1 -d site > /dev/null 2>&1 &",
                   "wait-for curl -sf http://127.0.0.1:8000/"},
       .probe = {"curl -s http://127.0.0.1:8000/; pgrep -f http.server; ss -Hltn 'sport = :8000' | "
                 "awk '{print $1, $4}'"},
       .expect = "hello"},
      {.name = "ServerThatCountsInMemory",
       .prepare = {kCounterServer},
       .probe = {"curl -s http://127.0.0.1:8000/", "jobs -l"},
       .expect = "count 2",
       .disturb = {"curl -s http://127.0.0.1:8000/add"}},
      {.name = "KeptAliveConnection",
       .prepare = {kCounterServer,
                   "exec 7<>/dev/tcp/127.0.0.1/8000; printf 'GET /add HTTP/1.0\\r\\nConnection: "
                   "keep-alive\\r\\n' >&7"},
       .probe = {"printf '\\r\\n' >&7; timeout 5 grep -m 1 count <&7"},
       .expect = "count 3",
       .asking = Asking::kOnce},
      {.name = "Node",
       .prepare = {kNodeServer},
       .probe = {"curl -s http://127.0.0.1:8080/", "jobs -l"},
       .expect = "node counts 41",
       .disturb = {"curl -s http://127.0.0.1:8080/add"}},
      {.name = "Redis",
       .prepare = {"redis-server --port 6379 --bind 127.0.0.1 --save '' --dir /w --daemonize yes > "
                   "/dev/null && wait-for redis-cli ping",
                   "redis-cli mset a 1 b two > /dev/null; redis-cli rpush list x y z > /dev/null; "
                   "redis-cli incr n"},
       .probe = {"redis-cli mget a b n; redis-cli lrange list 0 -1; redis-cli info server | grep "
                 "-e process_id -e run_id"},
       .expect = "two",
       .disturb = {"redis-cli flushall; redis-cli set a spoilt"}},
      {.name = "RedisCounter",
       .prepare = {"redis-server --port 6379 --bind 127.0.0.1 --save '' --dir /w --daemonize yes > "
                   "/dev/null && wait-for redis-cli ping",
                   "redis-cli incr n; redis-cli incr n"},
       .probe = {"redis-cli incr n"},
       .expect = "3",
       .asking = Asking::kOnce},
      {.name = "RedisClientThatWaits",
       .prepare = {"redis-server --port 6379 --bind 127.0.0.1 --save '' --dir /w --daemonize yes > "
                   "/dev/null && wait-for redis-cli ping",
                   "(redis-cli blpop queue 0 > got &)",
                   "wait-for sh -c 'redis-cli client list | grep blpop'"},
       .probe = {"redis-cli rpush queue hello > /dev/null; wait-for grep hello got; cat got"},
       .expect = "hello",
       .asking = Asking::kOnce},
      {.name = "SqliteWithAnOpenTransaction",
       .prepare = {fed_by_fifo("stdbuf -oL sqlite3 db"),
                   "echo \"create table t(v); insert into t values('kept'); begin; insert into t "
                   "values('open'); select 'ready';\" >&4; wait-for grep ready out"},
       .probe = {": > out; echo \"select group_concat(v) from t; select 'END';\" >&4; wait-for "
                 "grep END out; cat out",
                 "sqlite3 db 'select group_concat(v) from t'",
                 "sqlite3 db \"insert into t values('stranger')\" 2>&1 | grep -o locked"},
       .expect = "kept,open",
       .disturb = {"echo 'rollback;' >&4", "sqlite3 db 'delete from t'"}},
      {.name = "SqliteTransactionCommits",
       .prepare = {fed_by_fifo("stdbuf -oL sqlite3 db"),
                   "echo \"create table t(v); begin; insert into t values('open'); select "
                   "'ready';\" >&4; wait-for grep ready out"},
       .probe = {": > out; echo \"commit; select 'END';\" >&4; wait-for grep END out; sqlite3 db "
                 "'select v from t'"},
       .expect = "open",
       .asking = Asking::kOnce},
      {.name = "Postgres",
       .prepare = {kPostgres,
                   "export PGHOST=/w/pg PGUSER=nobody PGDATABASE=postgres PAGER=cat; psql -qc "
                   "\"create table t(v text); insert into t values ('kept')\"",
                   fed_by_fifo("psql -qAt"),
                   "echo \"create temp table mine(v int); insert into mine values (7), (8); begin; "
                   "insert into t values ('open'); select 'ready';\" >&4; wait-for grep ready out"},
       .probe = {": > out; echo \"select sum(v) from mine; select string_agg(v, ',') from t; "
                 "select pg_backend_pid(); select 'END';\" >&4; wait-for grep END out; cat out",
                 "psql -qAtc 'select v from t; select count(*) from pg_stat_activity where query "
                 "like $$%END%$$'",
                 "pgrep -u nobody -f 'postgres: (checkpointer|background writer|walwriter)'; head "
                 "-n 1 pg/data/postmaster.pid"},
       .expect = "15\nkept,open",
       .disturb = {"echo 'rollback; drop table mine;' >&4; psql -qc 'drop table t'"}},
      {.name = "PostgresSessionOfAnotherConnectionCommits",
       .prepare = {kPostgres,
                   "export PGHOST=/w/pg PGUSER=nobody PGDATABASE=postgres PAGER=cat; psql -qc "
                   "'create table t(v text)'",
                   fed_by_fifo("psql -qAt"),
                   "echo \"begin; insert into t values ('in the transaction'); select 'ready';\" "
                   ">&4; wait-for grep ready out"},
       .probe = {": > out; echo \"commit; select 'END';\" >&4; wait-for grep END out; psql -qAtc "
                 "'select v from t'"},
       .expect = "in the transaction",
       .asking = Asking::kOnce},
      {.name = "Nginx",
       .prepare = {kNginx},
       .probe = {"curl -s http://127.0.0.1:8080/; curl -s -o /dev/null -w '%{http_code}\\n' "
                 "http://127.0.0.1:8080/none",
                 "cat ng/pid; ps -o user,pid,ppid,args --ppid $(cat ng/pid)"},
       .expect = "served by nginx",
       .disturb = {"echo broken > ng/conf; nginx -c /w/ng/conf -s stop"}},
      {.name = "NginxReloads",
       .prepare = {kNginx},
       .probe = {"sed -i s/8080/8081/ ng/conf; nginx -c /w/ng/conf -e /w/ng/error.log -s reload; "
                 "wait-for curl -sf http://127.0.0.1:8081/ && curl -s http://127.0.0.1:8081/"},
       .expect = "served by nginx",
       .asking = Asking::kOnce},
      {.name = "Tmux",
       .prepare =
           {"tmux -L sf -f /dev/null new-session -d -x 80 -y 24 'PS1=\\$ bash --norc --noprofile'",
            "tmux -L sf send-keys 'state=inside; echo he''llo' Enter; wait-for sh -c 'tmux -L sf "
            "capture-pane -p | grep ^hello'"},
       .probe = {"tmux -L sf capture-pane -p | grep -v '^$'",
                 "tmux -L sf list-panes -F '#{pane_pid} #{pane_width}x#{pane_height} #{pane_tty}'"},
       .expect = "hello",
       .disturb = {"tmux -L sf send-keys clear Enter; tmux -L sf kill-server"}},
      {.name = "TmuxShellGoesOn",
       .prepare =
           {"tmux -L sf -f /dev/null new-session -d -x 80 -y 24 'PS1=\\$ bash --norc --noprofile'",
            "tmux -L sf send-keys 'state=inside; echo re''ady' Enter; wait-for sh -c 'tmux -L sf "
            "capture-pane -p | grep ^ready'"},
       .probe = {"tmux -L sf send-keys 'echo [$state]' Enter; wait-for sh -c 'tmux -L sf "
                 "capture-pane -p | grep ^.inside'; tmux -L sf capture-pane -p | grep '^.inside'"},
       .expect = "[inside]",
       .asking = Asking::kOnce},
      {.name = "Script",
       .prepare = {"mkfifo in; exec 4<>in; script -qfc 'PS1=@@ bash --norc --noprofile "
                   "--noediting' typescript < in > /dev/null 2>&1 &",
                   "wait-for grep -q ^@@ typescript; echo 'state=inside; tty' >&4; wait-for grep "
                   "-q ^/dev/pts typescript; wait-for sh -c '[ $(grep -c ^@@ typescript) = 2 ]'"},
       .probe = {"echo 'echo [$state]' >&4; wait-for grep -q '^.inside' typescript; grep "
                 "'^.inside' typescript | tr -d '\\r'; grep ^/dev/pts typescript"},
       .expect = "[inside]",
       .asking = Asking::kOnce},
      {.name = "SshAgent",
       .prepare = {"eval $(ssh-agent -a /w/agent.sock) > /dev/null; ssh-keygen -q -t ed25519 -N '' "
                   "-C test-key -f key; ssh-add -q key; rm key"},
       .probe = {"ssh-add -l; echo $SSH_AGENT_PID; ps -o pid,args -p $SSH_AGENT_PID"},
       .expect = "test-key",
       .disturb = {"ssh-add -D"}},
      {.name = "LockedFile",
       .prepare = {"(flock 9; exec sleep 1000) 9> lock &", "wait-for sh -c '! flock -n lock true'"},
       .probe = {"flock -n lock true; echo refused $?"},
       .expect = "refused 1",
       .disturb = {"rm lock"}},
      {.name = "PythonThreadsAndQueues",
       .prepare = {R"(cat > pool.py <<'END'
import multiprocessing, threading, queue, sys
def double(x): return x * 2
pool = multiprocessing.get_context("fork").Pool(2)
work, done = queue.Queue(), queue.Queue()
def worker():
    while True: done.put(work.get() + 1)
threads = [threading.Thread(target=worker, daemon=True) for _ in range(3)]
for t in threads: t.start()
print("ready", flush=True)
for line in sys.stdin:
    work.put(int(line))
    print("pool", pool.map(double, range(4)), "queue", done.get(), threading.active_count(), flush=True)
END)",
                   fed_by_fifo("/usr/bin/python3 pool.py"), "wait-for grep ready out"},
       .probe = {": > out; echo 41 >&4; wait-for grep queue out; cat out"},
       .expect = "pool [0, 2, 4, 6] queue 42"},
  };
}

}  // namespace sf::equivalence
