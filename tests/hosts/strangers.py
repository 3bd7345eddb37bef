# SPDX-License-Identifier: BSD-3-Clause
"""Who has no business with a job. record FILE: hears what is said on eth0 until somebody has greeted as UCX does, and
writes that to FILE in hexadecimal. call WHOM HEARD WAY...: calls each
address and port of the lines of WHOM in each WAY, stays for a while, and prints how often it called and what was said to it.

  silent   connects and says nothing
  noise    says too little, as much as is looked at, and much, of no meaning; the last two are hung up on
  half     says what was heard, up to all but a byte of it
  crowd    connects CROWD times
"""

import os
import random
import socket
import struct
import sys
import time

MAGIC = bytes.fromhex("78563412bebafeca")
GREETING = 42  # bytes: a number that is UCX's, and its first packet
CROWD = 200
PATIENCE_S = 20
STAY_S = 2


def said_in(frame):
    """What a segment of TCP has in it; the frame comes without its first 14 bytes."""
    if frame[9] != socket.IPPROTO_TCP:
        return b""
    tcp = frame[(frame[0] & 15) * 4 : struct.unpack(">H", frame[2:4])[0]]
    return tcp[(tcp[12] >> 4) * 4 :]


def record(path):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
    s.bind(("eth0", 0))
    print("ready", flush=True)
    while True:
        said = said_in(s.recv(70000)[14:])
        if said.startswith(MAGIC) and len(said) >= GREETING:
            break
    with open(path + ".new", "w") as out:
        print(said[:GREETING].hex(), file=out)
    os.rename(path + ".new", path)


class Caller:
    def __init__(self, greeting):
        self.greeting = greeting
        self.open = []
        self.got = 0

    def connect(self, whom):
        s = socket.create_connection(whom, PATIENCE_S)
        self.open.append(s)
        return s

    def say(self, whom, data):
        s = self.connect(whom)
        try:
            s.sendall(data)
        except OSError:
            pass  # it was hung up on us
        return s

    def await_end(self, s):
        try:
            while data := s.recv(65536):
                self.got += len(data)
        except ConnectionError:
            pass

    def silent(self, whom):
        self.connect(whom)

    def noise(self, whom):
        dice = random.Random(6)
        for length in (1, 7):
            self.say(whom, dice.randbytes(length))
        for length in (8, 100000):
            self.await_end(self.say(whom, dice.randbytes(length)))

    def half(self, whom):
        for length in (7, 8, 9, 13, 25, GREETING - 1):
            self.say(whom, self.greeting[:length])

    def crowd(self, whom):
        for _ in range(CROWD):
            self.connect(whom)

    def listen(self):
        """To those who are still connected."""
        for s in self.open:
            s.setblocking(False)
            try:
                self.got += len(s.recv(65536))
            except OSError:
                pass


def read(path):
    with open(path) as lines:
        return [line.split() for line in lines]


def call(whom_path, heard_path, ways):
    whom = [(host, int(port)) for host, port in read(whom_path)]
    caller = Caller(bytes.fromhex(read(heard_path)[0][0]))
    for way in ways:
        for one in whom:
            getattr(caller, way)(one)
    time.sleep(STAY_S)
    caller.listen()
    print(f"{len(caller.open)} calls of {len(whom)} sockets, {caller.got} bytes came back")


if sys.argv[1] == "record":
    record(sys.argv[2])
else:
    call(sys.argv[2], sys.argv[3], sys.argv[4:])
