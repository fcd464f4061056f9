"""backend.py NAME PORT: /hit counts a visitor; /served returns their number; /who returns NAME."""
import http.server
import os
import sys
from pathlib import Path

name, hits = sys.argv[1], []


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/hit":
            hits.append(1)
        answer = {"/hit": f"{name} {len(hits)}", "/served": f"{name} {len(hits)}"}.get(self.path, name)
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer) + 1))
        self.end_headers()
        self.wfile.write(answer.encode() + b"\n")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler)
Path(f"/app/run/{name}.pid").write_text(f"{os.getpid()}\n")
server.serve_forever()
