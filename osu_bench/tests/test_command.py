#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the comparison runner: which runs it makes, and by which commands."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
OSU_BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, OSU_BENCH)

# pylint: disable=wrong-import-position
from comparelib import command, machine, run, stats, tables


def bench(key):
    """A row of the table of benchmarks."""
    return tables.bench_by_key(key)


class PlanTest(unittest.TestCase):
    """Which runs are made, and how."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("osu_latency", "osu_put_latency", "osu_deep_queue", "mpirun", "mpirun.mpich", "mpich/osu_latency"):
            self.executable(name)
        path = os.environ["PATH"]
        os.environ["PATH"] = self.folder + ":" + path
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        self.setup = command.Setup([self.folder])

    def executable(self, name):
        """A program of that name, which does nothing; its path."""
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as stream:
            stream.write("#!/bin/sh\n")
        os.chmod(path, 0o755)
        return path

    def words(self, transport, key="latency", ranks=2):
        """The command line."""
        return command.build(self.setup, tables.transport_by_key(transport), bench(key), (8, 4096), ranks)

    def test_pinned(self):
        words = self.words("vader")
        self.assertEqual(words[:7], [os.path.join(self.folder, "mpirun"), "-n", "2", "--map-by", "core",
                                     "--bind-to", "core"])
        self.assertEqual(words[-5:], [os.path.join(self.folder, "osu_latency"), "-m", "8,4K", "--digits", "4"])
        self.assertIn("vader,self", words)

    def test_one_size_is_one_size(self):
        transport = tables.transport_by_key("vader")
        words = command.build(self.setup, transport, bench("latency"), (8,), 2)
        self.assertEqual(words[words.index("-m") + 1], "8:8")
        words = command.build(self.setup, transport, bench("deep_posted_random"), (10,), 2)
        self.assertEqual(words[words.index("-d") + 1], "10")

    def test_more_ranks_than_cores(self):
        words = self.words("vader", ranks=8)
        self.assertIn("--oversubscribe", words)
        self.assertNotIn("core", words)

    def test_one_sided_component(self):
        self.assertNotIn("osc", self.words("vader"))
        for transport, component in (("vader", "rdma"), ("apelink", "rdma"), ("tcp", "pt2pt"),
                                     ("match", "pt2pt"), ("ucx", "ucx")):
            words = self.words(transport, "put_latency")
            self.assertEqual(words[words.index("osc") + 1], component)

    def test_depths_are_an_option_of_their_own(self):
        words = self.words("match", "deep_unexpected_random_wild")
        self.assertEqual(words[words.index("mtl") + 1], "match")
        self.assertEqual(words[words.index("-d") + 1], "8,4K")
        self.assertNotIn("-m", words)
        for word in ("unexpected", "random", "10"):
            self.assertIn(word, words)

    def test_program_without_options(self):
        path = os.path.join(self.folder, "ni_match_list")
        with open(path, "w", encoding="ascii") as stream:
            stream.write("#!/bin/sh\n")
        os.chmod(path, 0o755)
        words = self.words("ni", "ni_match_lists")
        self.assertEqual(words[-3:], [path, "--csv", "--most=0"])

    def test_groups(self):
        self.assertEqual(tables.benches_by_key("bw"), [bench("bw")])
        self.assertEqual(len(tables.benches_by_key("deep")), 12)
        with self.assertRaises(KeyError):
            tables.benches_by_key("")

    def test_component_path_and_cores(self):
        self.setup.component_path = "/c"
        self.setup.cores, self.setup.default_cores = (3, 5), False
        words = self.words("apelink")
        self.assertEqual(words[words.index("mca_base_component_path") + 1], "/c:SYSTEM_DEFAULT:USER_DEFAULT")
        self.assertEqual(words[words.index("--cpu-list") + 1], "3,5")

    def test_perf_is_looked_for_beside_then_where_it_was_installed_then_in_path(self):
        def executable(folder):
            os.makedirs(folder, exist_ok=True)
            path = os.path.join(folder, "apeni-perf")
            with open(path, "w", encoding="ascii") as stream:
                stream.write("#!/bin/sh\n")
            os.chmod(path, 0o755)
            return path

        self.setup.bin_folder = os.path.join(self.folder, "inst", "bin")
        in_path = executable(os.path.join(self.folder, "path"))
        os.environ["PATH"] = os.path.dirname(in_path) + ":" + os.environ["PATH"]
        self.assertEqual(command.find_perf("apeni-perf", self.setup), in_path)
        installed = executable(self.setup.bin_folder)
        self.assertEqual(command.find_perf("apeni-perf", self.setup), installed)
        beside = executable(self.folder)
        self.assertEqual(command.find_perf("apeni-perf", self.setup), beside)
        with self.assertRaisesRegex(command.NotHere, "put it into PATH"):
            command.find_perf("apeni-nothing", self.setup)

    def test_the_bin_of_the_installation(self):
        here = os.path.join(self.folder, "usr", "libexec", "apelink", "osu")
        commands = os.path.join(self.folder, "usr", "bin")
        os.makedirs(here)
        self.assertEqual(command.installed_bin(here), "")
        os.makedirs(commands)
        with open(os.path.join(commands, "apelink-compare"), "w", encoding="ascii"):
            pass
        self.assertEqual(command.installed_bin(here), commands)
        self.assertEqual(command.installed_bin(os.path.join(self.folder, "usr", "libexec")), "")
        os.environ["APELINK_BIN_DIR"] = "/elsewhere/bin"
        self.addCleanup(os.environ.pop, "APELINK_BIN_DIR")
        self.assertEqual(command.installed_bin(here), "/elsewhere/bin")

    def test_components_of_a_build_folder(self):
        self.assertEqual(command.built_components(self.folder), [])
        folder = os.path.join(self.folder, "mtl_match", ".libs")
        os.makedirs(folder)
        os.makedirs(os.path.join(self.folder, "btl_apelink", ".libs"))
        self.assertEqual(command.built_components(self.folder), [])
        with open(os.path.join(folder, "mca_mtl_match.so"), "w", encoding="ascii"):
            pass
        self.assertEqual(command.built_components(self.folder), [folder])

    def test_mpich_has_programs_of_its_own(self):
        words = self.words("mpich")
        self.assertTrue(words[0].endswith("mpirun.mpich"))
        self.assertIn(os.path.join(self.folder, "mpich", "osu_latency"), words)
        with self.assertRaisesRegex(command.NotHere, "osu_put_latency not found"):
            self.words("mpich", "put_latency")

    def test_presto_has_programs_of_its_own(self):
        launcher, program = self.executable("prestorun"), self.executable("presto/osu_latency")
        native = self.executable("pr_latency")
        self.assertEqual(self.words("presto"), [launcher, "-n", "2", "--bind-to", "core", program, "-m", "8,4K",
                                                "--digits", "4"])
        self.assertEqual(self.words("native")[5], native)
        self.assertNotIn("--bind-to", self.words("presto", ranks=8))
        self.setup.cores, self.setup.default_cores = (3, 5), False
        self.assertEqual(self.words("native")[1:4], ["-c", "3,5", launcher])
        with self.assertRaisesRegex(command.NotHere, "osu_put_latency not found"):
            self.words("presto", "put_latency")
        with self.assertRaisesRegex(command.NotHere, "no osu_barrier with the native interface"):
            self.words("native", "barrier")

    def test_between_hosts_ranks_take_turns_and_have_a_core_each(self):
        self.executable("taskset")
        self.setup.hosts, self.setup.cores = 2, (3, 5)
        program = [os.path.join(self.folder, "osu_latency"), "-m", "8,4K", "--digits", "4"]
        words = self.words("tcp")
        self.assertEqual(words[1:7], ["-n", "2", "--map-by", "node", "--bind-to", "none"])
        self.assertIn("tcp,self", words)
        self.assertEqual(words[-9:-7], ["sh", "-c"])
        self.assertEqual(words[-6:], ["3,5", *program])
        self.assertIn("UCX_TLS=tcp,self", self.words("ucx"))
        words = self.words("apelink", ranks=8)
        self.assertIn("--oversubscribe", words)
        self.assertNotIn("sh", words)
        self.assertEqual(words[-5:], program)
        self.setup.component_path = "/c"
        self.assertIn("/c:SYSTEM_DEFAULT:USER_DEFAULT", self.words("match"))
        self.assertIn("pt2pt", self.words("tcp", "put_latency"))

    def test_presto_between_hosts_is_started_by_mpirun(self):
        presto, native = self.executable("presto/osu_latency"), self.executable("pr_latency")
        self.setup.hosts = 2
        for transport, path in (("presto", presto), ("native", native)):
            words = self.words(transport)
            self.assertEqual(words[0], os.path.join(self.folder, "mpirun"))
            self.assertEqual(words[-5], path)
            self.assertNotIn("--mca", words)

    def test_what_does_not_go_between_hosts_is_refused(self):
        self.setup.hosts = 2
        for transport in ("vader", "mpich", "ni"):
            with self.assertRaisesRegex(command.NotHere, f"{transport} does not go between hosts; these do: tcp, "):
                self.words(transport)

    def test_the_rank_finds_its_core(self):
        self.executable("taskset")
        with open(os.path.join(self.folder, "taskset"), "w", encoding="ascii") as stream:
            stream.write('#!/bin/sh\necho "$@"\n')
        self.setup.hosts, self.setup.cores = 2, (3, 5)
        words = self.words("tcp")
        for rank, core in enumerate(("3", "5")):
            out = subprocess.run(words[words.index("sh"):], env=dict(os.environ, OMPI_COMM_WORLD_RANK=str(rank)),
                                 capture_output=True, text=True, check=True).stdout
            self.assertEqual(out, f"-c {core} {self.folder}/osu_latency -m 8,4K --digits 4\n")

    def test_programs_without_options_get_none(self):
        path = self.executable("spiking")
        self.assertEqual(self.words("vader", "spiking")[-5:], [path, "--time", "1", "--check", "0"])

    def test_order_rotates(self):
        tasks = [run.Task(bench(b), tables.transport_by_key(t), (8,), 2, ())
                 for b in ("latency", "bw") for t in ("vader", "tcp", "ucx")]
        names = [(t.bench.key, t.transport.key) for t in run.plan_round(tasks, 1)]
        self.assertEqual(names, [("latency", "tcp"), ("latency", "ucx"), ("latency", "vader"),
                                 ("bw", "tcp"), ("bw", "ucx"), ("bw", "vader")])

    def test_more_runs_are_wanted_until_the_state_has_enough(self):
        tasks = [run.Task(bench("latency"), tables.transport_by_key(t), (8,), 2, ()) for t in ("vader", "tcp")]
        samples = [stats.Sample("latency", t, 8, 1, "near", 45, rep) for t in ("vader", "tcp") for rep in (0, 1)]
        self.assertEqual(run.wanted_benches(tasks, samples, "near", 2), set())
        self.assertEqual(run.wanted_benches(tasks, samples[:-1], "near", 2), {"latency"})
        self.assertEqual(run.wanted_benches(tasks, samples, "far", 2), {"latency"})

    def test_cores_are_counted_once_per_core(self):
        siblings = {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}
        read = lambda path: siblings[int(path.split("/cpu/cpu")[1].split("/")[0])]
        self.assertEqual(machine.cores(read, [0, 1, 2, 3]), [0, 1])
        self.assertEqual(machine.cores(lambda path: "", [4, 7]), [4, 7])

    def test_all_rows_are_distinct_and_sound(self):
        keys = [b.key for b in tables.BENCHES]
        self.assertEqual(len(keys), len(set(keys)))
        for row in tables.BENCHES:
            self.assertIn(row.better, ("lower", "higher"))
            self.assertIn(row.style, ("table", "single", "init", "memory", "match", "lists", "wall", "told", "named"))
            self.assertEqual(bool(row.package), bool(row.inputs))
            self.assertTrue(row.what)


if __name__ == "__main__":
    unittest.main()
