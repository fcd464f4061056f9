"""Keys in memory, written to SQLite when told to."""
import socketserver
import sqlite3
import threading

lock, values, dirty = threading.Lock(), {}, set()
database = sqlite3.connect("/app/kv.db", check_same_thread=False, isolation_level=None)
database.execute("create table if not exists kv (key text primary key, value text)")
database.execute("create table if not exists flushes (id integer primary key autoincrement, keys integer)")
values.update(database.execute("select key, value from kv"))


class Handler(socketserver.StreamRequestHandler):
    space = "none"

    def put(self, key, value):
        values[f"{self.space}/{key}"] = value
        dirty.add(f"{self.space}/{key}")
        return value

    def incr(self, key):
        return self.put(key, str(int(values.get(f"{self.space}/{key}", 0)) + 1))

    def get(self, key):
        return values.get(f"{self.space}/{key}", "none")

    def use(self, space):
        self.space = space
        return f"in {space}"

    def flush(self):
        database.execute("begin")
        for key in sorted(dirty):
            database.execute("insert or replace into kv values (?, ?)", (key, values[key]))
        number = database.execute("insert into flushes (keys) values (?)", (len(dirty),)).lastrowid
        database.execute("commit")
        dirty.clear()
        return f"flush {number}"

    def stats(self):
        return f"{self.space}: {len(values)} keys, {len(dirty)} not written"

    def handle(self):
        for line in self.rfile:
            verb, *words = line.decode().split()
            with lock:
                try:
                    answer = {"put": self.put, "incr": self.incr, "get": self.get, "use": self.use, "flush": self.flush, "stats": self.stats}[verb](*words)
                except (KeyError, TypeError, ValueError) as problem:
                    answer = f"error: {problem}"
            self.wfile.write(answer.encode() + b"\n")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


Server(("127.0.0.1", 7500), Handler).serve_forever()
