"""The flag service: flags, revision and logins are in memory."""
import http.server
import json
import secrets
from pathlib import Path

flags, state, logins = {"legacy": "on"}, {"revision": 1, "logins_made": 0}, {}


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, code, text):
        self.send_response(code)
        self.send_header("Content-Length", str(len(text) + 1))
        self.end_headers()
        self.wfile.write(text.encode() + b"\n")

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()

    def who(self):
        return logins.get(self.headers.get("X-Token"))

    def do_GET(self):
        self.answer(200, json.dumps({"flags": flags, "logins": sorted(logins.values()), **state}))

    def do_PUT(self):
        body = self.body()
        if not self.who():
            return self.answer(401, "who are you?")
        if self.headers.get("X-Revision") != str(state["revision"]):
            return self.answer(409, "stale")
        flags[self.path.split("/")[-1]] = body
        state["revision"] += 1
        self.answer(200, f"revision {state['revision']}")

    def do_POST(self):
        body = self.body()
        if self.path == "/login":
            token = secrets.token_hex(12)
            logins[token] = body
            state["logins_made"] += 1
            self.answer(200, token)
        elif self.path == "/publish" and self.who():
            Path("/app/published.json").write_text(json.dumps({"flags": flags, "by": self.who(), "token": self.headers["X-Token"], **state}))
            self.answer(200, "published")
        elif self.path == "/logout" and self.who():
            del logins[self.headers["X-Token"]]
            self.answer(200, "bye")
        else:
            self.answer(401, "who are you?")

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", 8200), Handler).serve_forever()
