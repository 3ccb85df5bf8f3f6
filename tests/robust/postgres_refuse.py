#!/usr/bin/env python3
"""A server that lets nobody in: prints its port, and repeats what a client said, or is mute.

    postgres_refuse.py repeat|mute
"""

import socket
import struct
import sys
import threading

SSL, GSS = 80877103, 80877104  # requests for encryption, which are answered with N


def message(kind, **fields):
    body = b"".join(key.encode() + value + b"\0" for key, value in fields.items()) + b"\0"
    return kind + struct.pack("!I", len(body) + 4) + body


def repeat(client):
    while True:
        head = client.recv(8)
        if len(head) < 8:
            return
        size, code = struct.unpack("!II", head)
        if code not in (SSL, GSS):
            break
        client.sendall(b"N")
    told = client.recv(size - 8).replace(b"\0", b" ")
    client.sendall(b"R" + struct.pack("!II", 8, 0)
                   + message(b"N", S=b"WARNING", C=b"01000", M=b"warned " + told)
                   + message(b"E", S=b"FATAL", C=b"XX000", M=b"failed: " + told))
    client.close()


def main():
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    clients = []
    while True:
        clients.append(server.accept()[0])
        if sys.argv[1] == "repeat":
            threading.Thread(target=repeat, args=clients[-1:], daemon=True).start()


if __name__ == "__main__":
    main()
