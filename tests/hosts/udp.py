# SPDX-License-Identifier: BSD-3-Clause
"""Datagrams there and back. serve: answers, and prints "ready". ask HOST COUNT SECONDS: sends COUNT of them, waits that
long for answers at most, and prints how many came, the shortest time in ms, and in how many an answer came before one
that was asked for earlier."""

import socket
import sys
import time

PORT = 7000


def serve():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("", PORT))
    print("ready", flush=True)
    while True:
        data, sender = s.recvfrom(2000)
        s.sendto(data, sender)


def ask(host, count, seconds):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sent, got, shortest, swapped = {}, [], 1e9, 0
    for i in range(count):
        sent[i] = time.monotonic()
        s.sendto(b"%d" % i, (host, PORT))
    end = time.monotonic() + seconds
    while len(got) < count:
        # Late or not, what has come is taken: this process may have slept over the end.
        s.settimeout(max(0.01, end - time.monotonic()))
        try:
            number = int(s.recv(2000))
        except TimeoutError:
            break
        shortest = min(shortest, (time.monotonic() - sent[number]) * 1e3)
        swapped += bool(got) and number < got[-1]
        got.append(number)
    print(len(got), int(shortest) if got else -1, swapped)


if sys.argv[1] == "serve":
    serve()
else:
    ask(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
