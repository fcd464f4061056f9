"""The ticket daemon: everything is in memory."""
import os
import secrets
import socketserver
from pathlib import Path

SOCKET = "/app/run/socket"


class Tickets:
    def __init__(self):
        self.boot, self.next, self.open = secrets.token_hex(8), 1, {}

    def take(self, name):
        self.open[self.next] = [name, "normal"]
        self.next += 1
        return f"ticket {self.next - 1}"

    def close(self, number):
        return f"closed {self.open.pop(int(number))[0]}"

    def raise_(self, number):
        self.open[int(number)][1] = "urgent"
        return f"raised {number}"

    def list(self):
        return "\n".join(f"{number} {name} {how}" for number, (name, how) in self.open.items()) or "none"

    def ask_boot(self):
        return self.boot


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        verb, *words = self.rfile.readline().decode().split()
        try:
            answer = getattr(tickets, {"raise": "raise_", "boot": "ask_boot"}.get(verb, verb))(*words)
        except (AttributeError, KeyError, TypeError, ValueError) as problem:
            answer = f"error: {problem}"
        self.wfile.write(answer.encode() + b"\n")


tickets = Tickets()
if os.path.exists(SOCKET):
    os.unlink(SOCKET)
with socketserver.UnixStreamServer(SOCKET, Handler) as server:
    Path("/app/run/boot").write_text(tickets.boot + "\n")
    Path("/app/run/pid").write_text(f"{os.getpid()}\n")
    server.serve_forever()
