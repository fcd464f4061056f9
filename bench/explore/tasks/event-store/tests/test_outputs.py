import json
import socket
from pathlib import Path

EVENTS = [{"number": number, "what": what} for number, what in enumerate(("order:1", "paid:1", "order:2", "shipped:1"), 1)]


def ask(*lines):
    with socket.create_connection(("127.0.0.1", 7400), timeout=10) as store:
        stream = store.makefile("rw")
        answers = []
        for line in lines:
            stream.write(line + "\n")
            stream.flush()
            answers.append(stream.readline().strip())
        return answers


def test_the_snapshot():
    assert json.loads(Path("/app/snapshot.json").read_text()) == EVENTS


def test_the_store_goes_on_from_there():
    assert json.loads(ask("status")[0]) == {"events": 4, "next": 5, "open": [{"name": "ops", "held": ["paid:2"]}]}
    assert ask("append probe") == ["number 5"]


def test_the_store_s_program_is_as_it_was():
    import hashlib
    assert hashlib.sha256(Path("/app/store.js").read_bytes()).hexdigest() == "fb7805f660940e6269a56224c1264feb38f3ddda39df667aa769d28f5ddfcb8c"
