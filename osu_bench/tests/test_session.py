#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the comparison runner: whole sessions, with a launcher and programs that are faked."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

sys.dont_write_bytecode = True
OSU_BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, OSU_BENCH)

# pylint: disable=wrong-import-position
from comparelib import tables

LINE = """\
# One-way time of a cache line between cores 0 and 1, ns
# Reps               Min      Median         Max
  5                 42.5        44.1        63.9
"""


def fake(folder, name, text):
    """An executable shell script."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as stream:
        stream.write("#!/bin/sh\n" + textwrap.dedent(text))
    os.chmod(path, 0o755)


class SessionTest(unittest.TestCase):
    """compare itself, with a launcher that prints what we want."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        fake(self.folder, "osu_latency", "exit 0\n")
        fake(self.folder, "line_time", f"cat << 'EOF'\n{LINE}EOF\n")
        # Latency 0.1 over vader and 0.08 over ucx; tcp always fails, apelink hangs unless it is probed.
        fake(self.folder, "mpirun", """\
            case "$*" in
            *vader*) value=0.1000;;
            *tcp*) echo "cannot reach the peer" >&2; exit 3;;
            *apelink*) case "$*" in *"-i 1 "*) ;; *) exec sleep 60;; esac; value=1;;
            *) value=0.0800;;
            esac
            echo "# Size            Latency (us)"
            echo "8           $value"
            echo "4096        $value"
            """)

    def compare(self, *words, path=None):
        """Exit status, output, error output."""
        env = dict(os.environ, PATH=self.folder + ":" + (path or os.environ["PATH"]))
        done = subprocess.run([sys.executable, os.path.join(OSU_BENCH, "compare"), "--programs", self.folder,
                               *words], capture_output=True, text=True, env=env, check=False, timeout=120,
                              cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def test_ratios(self):
        status, out, err = self.compare("--transports", "vader,ucx", "--bench", "latency", "--sizes", "8,4K",
                                        "--reps", "3", "--csv", f"{self.folder}/a.csv",
                                        "--json", f"{self.folder}/a.json")
        self.assertEqual(status, 0, err)
        self.assertIn("state near", out)
        self.assertRegex(out, r"8 +vader +3 +0.100 +0.100 +0.100 +0.100 +1.00")
        self.assertRegex(out, r"4K +ucx +3 +0.080 +0.080 +0.080 +0.080 +0.80")
        self.assertIn("repetition 1 of 3, run 1 of 2: latency over vader", err)
        with open(f"{self.folder}/a.csv", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual(len(rows), 4)
        row = [r for r in rows if r["transport"] == "ucx" and r["size"] == "8"][0]
        self.assertEqual((row["state"], row["n"], float(row["median"]), float(row["ratio"])),
                         ("near", "3", 0.08, 0.8))
        with open(f"{self.folder}/a.json", encoding="utf-8") as stream:
            data = json.load(stream)
        self.assertEqual(len(data["samples"]), 12)
        self.assertEqual(data["failures"], [])
        again = self.compare("--load", f"{self.folder}/a.json")
        self.assertEqual(again[0], 0, again[2])
        self.assertRegex(again[1], r"8 +ucx +3 +0.080")
        twice = self.compare("--load", f"{self.folder}/a.json", "--load", f"{self.folder}/a.json")
        self.assertEqual(twice[0], 0, twice[2])
        self.assertRegex(twice[1], r"8 +ucx +6 +0.080")

    def test_program_without_mpi(self):
        fake(self.folder, "apeni-perf", """\
            [ "$*" = "latency --link shm -m 8:8 --digits 4" ] || { echo "what is $*?" >&2; exit 2; }
            echo "# Size       Message(us)  Line(ns)     State   Message/line"
            echo "8                 0.0660      44.1      near           1.50"
            """)
        with open(f"{self.folder}/f.tsv", "w", encoding="utf-8") as stream:
            stream.write("ni\tni_latency\t8\tni\tline\tnear\t<=\t1.6\n")
        status, out, err = self.compare("--check", f"{self.folder}/f.tsv", "--transports", "ni", "--reps", "2")
        self.assertEqual(status, 0, err + out)
        self.assertRegex(out, r"8 +ni +2 +0.066")
        self.assertRegex(out, r"ni +near +<= 1.60 x +1.50 x +2 +yes")

    def fake_apps(self, gups):
        """A launcher that writes what HPCC does, if it finds its input; and a PATH without other programs."""
        fake(self.folder, "mpirun", f"""\
            case "$*" in *hpcc*) ;; *) exit 0;; esac
            grep -q "^2 *Qs" hpccinf.txt || {{ echo "no input" >&2; exit 4; }}
            echo run >> {self.folder}/runs
            printf 'RandomlyOrderedRingLatency_usec=0.5\\nMPIFFT_Gflops=1.25\\n{gups}\\n' > hpccoutf.txt
            """)
        fake(self.folder, "hpcc", "exit 0\n")
        tools = os.path.join(self.folder, "tools")
        os.mkdir(tools)
        for name in ("cat", "grep"):
            os.symlink(shutil.which(name), os.path.join(tools, name))
        return tools

    def test_apps(self):
        path = self.fake_apps("MPIRandomAccess_GUPs=0.02\\nSuccess=1")
        status, out, err = self.compare("--transports", "vader,match,mpich", "--bench", "apps", "--reps", "3", path=path)
        self.assertEqual(status, 1, err)  # a transport that was named is not there
        self.assertIn("left out: lammps over vader: no lmp in PATH; Debian: lammps", out)
        for row in (r"hpcc_ring: .*\n.*\n.*\n +- +vader +3 +0.500", r"hpcc_fft: .*\n.*\n.*\n +- +vader +3 +1.25",
                    r"hpcc_random_access: .*\n.*\n.*\n +- +vader +3 +0.020"):
            self.assertRegex(out, row)
        with open(f"{self.folder}/runs", encoding="ascii") as runs:
            self.assertEqual(len(runs.readlines()), 6)  # one for all numbers of a repetition
        self.assertEqual([entry for entry in os.listdir(self.folder) if "hpcc" in entry], ["hpcc"])

    def test_apps_that_fail(self):
        path = self.fake_apps("MPIRandomAccess_GUPs=0.02\\nSuccess=0")
        status, out, _ = self.compare("--transports", "vader", "--bench", "hpcc_ring", "--reps", "1", path=path)
        self.assertEqual(status, 1)
        self.assertIn("no line 'Success=1' in the output of hpcc", out)

    def test_unusable_transport_is_named(self):
        status, out, _ = self.compare("--transports", "vader,tcp", "--bench", "latency", "--reps", "1")
        self.assertEqual(status, 1)
        self.assertIn("left out: tcp: exit status 3: cannot reach the peer", out)
        self.assertRegex(out, r"8 +vader +1 ")

    def test_missing_component_is_named_with_its_remedy(self):
        fake(self.folder, "mpirun", 'case "$*" in *match*) echo "no component" >&2; exit 1;; esac\n'
             'echo "8 0.1"\n')
        fake(self.folder, "ompi_info", """\
            case $OMPI_MCA_mca_base_component_path in
            */with:*) echo "mca:mtl:match:version:0.1.0";;
            esac
            echo "mca:pml:cm:version:4.1.4"
            """)
        words = ("--transports", "vader,match", "--bench", "latency", "--sizes", "8", "--reps", "1")
        status, out, _ = self.compare(*words)
        self.assertEqual(status, 1)
        self.assertRegex(out, "left out: match: Open MPI finds no component match of the framework mtl; build and "
                              "install apelink.*--component-path.*apelink-env.*no component")
        os.mkdir(f"{self.folder}/with")
        status, out, _ = self.compare(*words, "--component-path", f"{self.folder}/with")
        self.assertEqual(status, 1)
        self.assertIn("left out: match: exit status 1: no component", out)

    def test_hanging_run_is_stopped_and_reported(self):
        status, out, _ = self.compare("--transports", "vader,apelink", "--bench", "latency", "--reps", "3",
                                      "--timeout", "0.5")
        self.assertEqual(status, 1)
        self.assertIn("failed: latency over apelink, 2 times: did not end within 0.5 s", out)
        self.assertIn("its first 2 runs failed, so it was not tried again", out)
        self.assertRegex(out, r"8 +vader +3 ")

    def test_busy_line(self):
        fake(self.folder, "line_time", "exit 2\n")
        status, out, _ = self.compare("--transports", "vader", "--bench", "latency", "--reps", "1")
        self.assertEqual(status, 0)
        self.assertIn("state busy", out)

    def test_missing_line_time(self):
        os.unlink(os.path.join(self.folder, "line_time"))
        status, out, _ = self.compare("--transports", "vader", "--bench", "latency", "--reps", "1")
        self.assertEqual(status, 0)
        self.assertIn("state unknown", out)
        self.assertIn("left out: line_time: line_time not found", out)

    def test_check(self):
        with open(f"{self.folder}/f.tsv", "w", encoding="utf-8") as stream:
            stream.write("eight\tlatency\t8\tucx\tvader\tnear\t<=\t0.9\n")
        status, out, err = self.compare("--check", f"{self.folder}/f.tsv", "--transports", "vader,ucx",
                                        "--reps", "2")
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"eight +near +<= 0.90 x +0.80 x +2 +yes")
        with open(f"{self.folder}/f.tsv", "a", encoding="utf-8") as stream:
            stream.write("four\tlatency\t4K\tucx\tvader\tnear\t<=\t0.5\n")
        status, out, _ = self.compare("--check", f"{self.folder}/f.tsv", "--transports", "vader,ucx",
                                      "--reps", "2")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"four +near +<= 0.50 x +0.80 x +2 +no")
        with open(f"{self.folder}/f.tsv", "a", encoding="utf-8") as stream:
            stream.write("tcp\tlatency\t4K\ttcp\tvader\tnear\t<=\t0.5\n")
        status, out, _ = self.compare("--check", f"{self.folder}/f.tsv", "--transports", "vader,ucx",
                                      "--reps", "1", "--json", f"{self.folder}/a.json")
        self.assertNotRegex(out, "tcp +near")
        self.assertIn("leaves them out: 1.", out)
        status, out, err = self.compare("--check", f"{self.folder}/f.tsv", "--load", f"{self.folder}/a.json")
        self.assertEqual(status, 1, err)
        self.assertRegex(out, r"four +near +<= 0.50 x +0.80 x +1 +no")
        self.assertNotRegex(out, "tcp +near")

    def test_hosts(self):
        # Hosts are made before anything else, for this same command; the launcher is that of hosts then.
        fake(self.folder, "apelink-hosts", f"""\
            echo "$*" >>{self.folder}/hosts
            while [ "$1" != -- ]; do shift; done
            shift
            APELINK_HOSTS=fake "$@"
            """)
        fake(self.folder, "mpirun", """\
            case "$*" in *"-n 2 --map-by node --bind-to none"*) ;; *) echo "what is $*?" >&2; exit 2;; esac
            case "$*" in *"btl tcp"*) value=0.1000;; *apelink*) value=0.0700;; *) value=0.0800;; esac
            echo "8           $value"
            echo "4096        $value"
            """)
        words = ("--hosts", "2", "--transports", "tcp,ucx,apelink", "--bench", "latency", "--sizes", "8,4K", "--reps", "2")
        status, out, err = self.compare(*words, "--json", f"{self.folder}/a.json")
        self.assertEqual(status, 0, err + out)
        self.assertIn("hosts: 2", out)
        self.assertRegex(out, r"min +/ tcp\n")
        self.assertRegex(out, r"8 +apelink +2 +0.070 +0.070 +0.070 +0.070 +0.70")
        with open(f"{self.folder}/hosts", encoding="utf-8") as stream:
            lines = stream.read().splitlines()
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], r"^run -n 2 -s \d+ -- .*/compare .*--hosts 2 --transports tcp,ucx,apelink ")
        status, out, err = self.compare("--hosts", "2", "--check", "--load", f"{self.folder}/a.json")
        self.assertEqual(status, 1, err + out)
        self.assertRegex(out, r"hosts osu_bw 1M, pml ucx +any +>= 1.00 x +- +0 +no data")
        self.assertRegex(out, r"hosts latency 4K, btl tcp +any +<= 0.80 x +0.70 x +2 +yes")
        status, out, _ = self.compare("--hosts", "2", "--transports", "tcp,vader", *words[4:])
        self.assertEqual(status, 1)
        self.assertIn("left out: vader: vader does not go between hosts", out)
        os.unlink(f"{self.folder}/apelink-hosts")
        fake(self.folder, "apelink-hosts", "echo 'no hosts' >&2; exit 125\n")
        status, _, err = self.compare(*words)
        self.assertEqual(status, 125)
        self.assertIn("no hosts", err)

    def test_wrong_options(self):
        for words, reason in ((("--transports", "vader,pigeon"), "there is no 'pigeon'"),
                              (("--bench", "speed"), "there is no 'speed'"),
                              (("--sizes", "8,x"), "'x' is not a size"),
                              (("--reps", "0"), "--reps 0: must be 1 or more"),
                              (("--bench", "latency", "--np", "4"), "needs exactly 2 ranks"),
                              (("--check", "--transports", "tcp"), "no figure is about what --transports"),
                              (("--ref", "pigeon"), "no transport 'pigeon'"),
                              (("--hosts", "1"), "--hosts 1: must be 2 or more"),
                              (("--hosts", "2", "--transports", "pigeon"), "there is no 'pigeon'"),
                              (("--check", "/nowhere.tsv"), "/nowhere.tsv"),
                              (("--load", "/nowhere.json"), "/nowhere.json"),
                              (("--cores", "0,0"), "two or more different ones"),
                              (("--component-path", "/nowhere"), "'/nowhere' is not a directory")):
            status, _, err = self.compare(*words)
            self.assertEqual(status, 2, words)
            self.assertIn(reason, err)

    def test_transport_of_the_users_own(self):
        status, out, _ = self.compare("--transport", "mine=--mca pml ucx", "--transports", "vader", "--bench", "latency",
                                      "--sizes", "8", "--reps", "1")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"mine +1 .*0\.80")
        for text, reason in (("mine", "write NAME="), ("=-x A", "write NAME="), ("vader=-x A", "already"),
                             ("mine='", "No closing quotation")):
            status, _, err = self.compare("--transport", text)
            self.assertEqual(status, 2)
            self.assertIn(reason, err)

    def test_list_and_help(self):
        status, out, _ = self.compare("--list")
        self.assertEqual(status, 0)
        for row in tables.BENCHES + tables.TRANSPORTS:
            self.assertIn(row.key, out)
        status, out, _ = self.compare("--help")
        self.assertEqual(status, 0)
        self.assertIn("--mca pml ob1 --mca btl apelink,self", out)

    @unittest.skipUnless(os.access("/dev/full", os.W_OK), "no /dev/full")
    def test_full_disk(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([sys.executable, os.path.join(OSU_BENCH, "compare"), "--list"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "compare: cannot write to standard output: No space left on device\n"))

    def test_terminated(self):
        """What was started ends with us, also by a signal that Python does not turn into an exception."""
        for signum in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            fake(self.folder, "mpirun", f"echo $$ >{self.folder}/pid; exec sleep 60\n")
            env = dict(os.environ, PATH=self.folder + ":" + os.environ["PATH"])
            process = subprocess.Popen([sys.executable, os.path.join(OSU_BENCH, "compare"), "--programs", self.folder,
                                        "--transports", "vader", "--bench", "latency", "--sizes", "8"], env=env,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(3000):
                if os.path.exists(f"{self.folder}/pid") and os.path.getsize(f"{self.folder}/pid"):
                    break
                time.sleep(0.01)
            process.send_signal(signum)
            self.assertNotEqual(process.wait(timeout=30), 0)
            with open(f"{self.folder}/pid", encoding="ascii") as stream:
                self.assertFalse(os.path.exists(f"/proc/{int(stream.read())}"), f"signal {signum}")
            os.remove(f"{self.folder}/pid")

    def test_plot(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot in PATH")
        status, out, err = self.compare("--transports", "vader,ucx", "--bench", "latency", "--sizes", "8,4K",
                                        "--reps", "2", "--plot", f"{self.folder}/p")
        self.assertEqual(status, 0, err)
        self.assertIn("p.png", out)
        with open(f"{self.folder}/p.png", "rb") as stream:
            self.assertEqual(stream.read(8), b"\x89PNG\r\n\x1a\n")
        with open(f"{self.folder}/p.svg", encoding="utf-8") as stream:
            self.assertIn("latency, state near", stream.read())


if __name__ == "__main__":
    unittest.main()
