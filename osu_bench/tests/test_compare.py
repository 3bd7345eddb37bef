#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the comparison runner's modules on canned data; its commands are in test_command.py, whole sessions in
test_session.py."""

import io
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
OSU_BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, OSU_BENCH)

# pylint: disable=wrong-import-position
from comparelib import figures, parse, plot, progress, report, run, stats, tables

LATENCY = """\
# OSU-style MPI Latency Test v0.1.0 (apelink)
# Size            Latency (us)
8                       0.1502
4096                    2.2104
"""
REAL_OSU = """\

# OSU MPI Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                       0.21
"""
RATE = """\
# OSU-style MPI Multiple Bandwidth / Message Rate Test v0.1.0 (apelink)
# [ pairs: 1 ] [ window size: 64 ]
# Size                    MB/s          Messages/s
8                       128.00         16000000.00
"""
BARRIER = """\
# OSU-style MPI Barrier Latency Test v0.1.0 (apelink)
#      Avg Latency(us)
                0.1823
"""
CHECKED = """\
# OSU-style MPI Latency Test v0.1.0 (apelink)
# Size            Latency (us)          Validation
8                         0.15                Fail
"""
INIT = """\
# OSU-style MPI Init Test v0.1.0 (apelink)
nprocs: 2, min: 220.10 ms, max: 230.00 ms, avg: 225.50 ms
# contact: nprocs: 2, min: 0.014 ms, max: 0.125 ms, avg: 0.069 ms
# Memory per rank, KiB
# Kind                               Min                 Max                 Avg
# VmHWM                            10500               10520               10510
# Pss                               5204                5238                5221
# Pss_Anon                          2552                2556                2554
"""
LINE = """\
# One-way time of a cache line between cores 0 and 1, ns
# Reps               Min      Median         Max
  5                 42.5        44.1        63.9
"""


def bench(key):
    """A row of the table of benchmarks."""
    return tables.bench_by_key(key)


class ParseTest(unittest.TestCase):
    """Output of programs."""

    def test_table(self):
        self.assertEqual(parse.parse_output(bench("latency"), LATENCY), {8: 0.1502, 4096: 2.2104})

    def test_table_of_the_osu_suite(self):
        self.assertEqual(parse.parse_output(bench("latency"), REAL_OSU), {1: 0.21})

    def test_second_column(self):
        self.assertEqual(parse.parse_output(bench("mbw_mr"), RATE), {8: 16000000.0})

    def test_no_size(self):
        self.assertEqual(parse.parse_output(bench("barrier"), BARRIER), {0: 0.1823})

    def test_init_and_memory(self):
        self.assertEqual(parse.parse_output(bench("init"), INIT), {0: 225.5})
        self.assertEqual(parse.parse_output(bench("memory"), INIT), {0: 5221.0})

    def test_failed_check_is_an_error(self):
        with self.assertRaisesRegex(parse.ParseError, "data check failed"):
            parse.parse_output(bench("latency"), CHECKED)

    def test_nothing_is_an_error(self):
        for key in ("latency", "init", "memory"):
            with self.assertRaises(parse.ParseError):
                parse.parse_output(bench(key), "# only a header\n")

    def test_missing_column_is_an_error(self):
        with self.assertRaisesRegex(parse.ParseError, "no column 2"):
            parse.parse_output(bench("mbw_mr"), LATENCY)

    def test_times_of_whole_runs(self):
        self.assertEqual(parse.parse_output(bench("start"), "", 0.25), {0: 250.0})
        self.assertEqual(parse.parse_output(bench("spiking"), "spiking: 0.125000 s\nspiking: right\n"), {0: 125.0})
        with self.assertRaisesRegex(parse.ParseError, "spiking: ... s"):
            parse.parse_output(bench("spiking"), "jacobi_heat: 0.125000 s\n")

    def test_match_list(self):
        text = ("part,kind,length,position,median_ns,least_ns\n"
                "list,match,10,0,300.0,1\nlist,match,10,100,100.0,1\n"
                "list,linear,10,0,100.0,1\nlist,linear,10,100,700.0,1\nlist,array,10,0,9,9\n"
                "search,posted 1 mask,1,warm,3.0,2\nsearch,posted 1 mask,1,next,10.5,9\n"
                "search,posted 1 mask,1000000,next,20.5,9\nsearch,posted 4 masks,1,next,11.5,9\n"
                "renew,posted 1 mask,10,oldest,8.5,8\n")
        for key, values in (("ni_match", {1: 10.5, 1000000: 20.5}), ("ni_match_masks", {1: 11.5}),
                            ("ni_match_renew", {10: 8.5}), ("ni_match_lists", {10: 2.0})):
            self.assertEqual(parse.parse_output(bench(key), text), values)
            with self.assertRaises(parse.ParseError):
                parse.parse_output(bench(key), "part,kind,length,position,median_ns,least_ns\n")

    def test_line_time(self):
        self.assertEqual(parse.parse_line_time(LINE), (42.5, 44.1))
        with self.assertRaises(parse.ParseError):
            parse.parse_line_time("")

    def test_sizes(self):
        for text, size in (("8", 8), ("4K", 4096), ("1m", 1 << 20), ("2G", 2 << 30)):
            self.assertEqual(parse.parse_size(text), size)
        for text in ("", "K", "-1", "1.5K", "8 B"):
            with self.assertRaises(ValueError):
                parse.parse_size(text)
        for size in (0, 1, 1000, 1024, 1536, 1 << 20, 3 << 20, 1 << 30):
            self.assertEqual(parse.parse_size(parse.format_size(size)), size)


class StatsTest(unittest.TestCase):
    """Machine states, quantiles, ratios."""

    def test_states_of_the_line(self):
        for ns, state in ((22, "shared"), (30, "near"), (45, "near"), (79.9, "near"),
                          (80, "between"), (100, "between"), (120, "far"), (190, "far")):
            self.assertEqual(stats.line_state((ns, ns)), state)
        self.assertEqual(stats.line_state(None), "unknown")
        self.assertEqual(stats.line_state((40, 70)), "busy")
        self.assertEqual(stats.line_state(stats.DISTURBED), "busy")

    def test_states_of_a_sample(self):
        near, far = (45, 45), (190, 190)
        self.assertEqual(stats.sample_state(near, near), "near")
        self.assertEqual(stats.sample_state(near, far), "mixed")
        self.assertEqual(stats.sample_state(near, None), "unknown")
        self.assertEqual(stats.sample_state((40, 400), near), "busy")

    def test_quantiles(self):
        self.assertEqual(stats.quantile([3, 1, 2], 0.5), 2)
        self.assertEqual(stats.quantile([4, 1, 2, 3], 0.5), 2.5)
        self.assertEqual(stats.quantile([1, 2, 3, 4, 5], 0.25), 2)
        self.assertEqual(stats.quantile([7], 0.75), 7)
        with self.assertRaises(ValueError):
            stats.quantile([], 0.5)

    def test_ratios_to_size_0_are_those_of_single_runs(self):
        samples = [stats.Sample("deep_posted_random", "match", size, value * factor, "near", 45, rep)
                   for rep, factor in enumerate((1, 2, 10)) for size, value in ((0, 0.2), (100, 0.3))]
        samples += [stats.Sample("deep_posted_random", "match", 100, 7, "near", 45, 3)]
        key = ("deep_posted_random", 100, "near", "match")
        self.assertAlmostEqual(stats.base_ratios(samples)[key], 1.5)
        text = "\n".join(report.text_report(run.Results(samples), "vader"))
        self.assertRegex(text, r"depth +transport +n .* / vader +/ depth 0")
        self.assertRegex(text, r"\n +0 +match +3 .* - +1.00\n")
        self.assertRegex(text, r"\n +100 +match +4 .* - +1.50\n")

    def test_summary_and_ratio_stay_in_their_state(self):
        samples = [stats.Sample("latency", "vader", 8, v, "near", 45, i) for i, v in enumerate((1, 2, 3))]
        samples += [stats.Sample("latency", "apelink", 8, 1.5, "near", 45, 0)]
        samples += [stats.Sample("latency", "vader", 8, 100, "far", 190, 0)]
        summaries = stats.group(samples)
        self.assertEqual(summaries[("latency", 8, "near", "vader")],
                         stats.Summary(3, 2, 1.5, 2.5, 1, 3))
        self.assertEqual(stats.ratio(summaries, "latency", 8, "near", "apelink", "vader"), 0.75)
        self.assertIsNone(stats.ratio(summaries, "latency", 8, "far", "apelink", "vader"))
        self.assertEqual(stats.counts_in_state(samples, "near"),
                         {("latency", "vader"): 3, ("latency", "apelink"): 1})


class ProgressTest(unittest.TestCase):
    """The progress line."""

    def test_lines_without_a_terminal(self):
        stream, now = io.StringIO(), [0.0]
        shown = progress.Progress(2, stream, lambda: now[0])
        task = run.Task(bench("latency"), tables.transport_by_key("vader"), (8,), 2, ())
        shown.show(0, 0, 2, task)
        now[0] = 1.0
        shown.show(0, 1, 2, task)
        now[0] = 30.0
        shown.show(1, 0, 2, task)
        shown.end()
        lines = stream.getvalue().splitlines()
        self.assertEqual(len(lines), 2)
        self.assertNotIn("\r", stream.getvalue())
        self.assertIn("latency over vader", lines[0])
        # Two runs took 30 s and two are left.
        self.assertIn("30 s to go", lines[1])

    def test_times(self):
        self.assertEqual(progress.format_time(42), "42 s")
        self.assertEqual(progress.format_time(185), "3 min 05 s")
        self.assertEqual(progress.format_time(3720), "1 h 02 min")


class PlotTest(unittest.TestCase):
    """The gnuplot script."""

    def test_each_transport_once_per_panel(self):
        samples = [stats.Sample("latency", t, size, 1.0, "near", 45, 0)
                   for t in ("vader", "match") for size in (8, 4096)]
        samples += [stats.Sample("barrier", t, 0, 1.0, "near", 45, 0) for t in ("vader", "match")]
        samples += [stats.Sample("deep_posted_random", "match", size, 1.0, "near", 45, 0) for size in (0, 100)]
        text = plot.script(run.Results(samples), "vader")
        self.assertIn("set xlabel 'depth'", text)
        self.assertIn("set xtics ('0' 0.5, '100' 100)", text)
        self.assertEqual(text.count("title 'match'"), 3)
        with self.assertRaises(ValueError):
            plot.script(run.Results(), "vader")


class FiguresTest(unittest.TestCase):
    """Wanted and measured."""

    def read(self, text):
        """Figures of a file with this text."""
        with tempfile.NamedTemporaryFile("w", suffix=".tsv", delete=False) as stream:
            stream.write(text)
        self.addCleanup(os.unlink, stream.name)
        return figures.read(stream.name)

    def test_the_file_that_is_shipped(self):
        rows = figures.read(os.path.join(OSU_BENCH, "figures.tsv"))
        self.assertGreater(len(rows), 30)
        self.assertEqual((rows[0].bench, rows[0].size, rows[0].relation, rows[0].wanted),
                         ("latency", 8, "<=", 0.82))

    def test_the_file_that_is_shipped_for_the_state_far(self):
        near = {(row.bench, row.size) for row in figures.read(os.path.join(OSU_BENCH, "figures.tsv"))
                if row.transport == "apelink" and row.state == "near"}
        rows = figures.read(os.path.join(OSU_BENCH, "figures-far.tsv"))
        self.assertLessEqual(near, {(row.bench, row.size) for row in rows})
        self.assertEqual({(row.reference, row.state, row.wanted) for row in rows}, {("vader", "far", 1.0)})

    def test_the_file_that_is_shipped_for_hosts(self):
        rows = figures.read(os.path.join(OSU_BENCH, "figures-hosts.tsv"))
        self.assertEqual({row.transport for row in rows}, {"apelink", "match"})
        for row in rows:
            self.assertIn(row.reference, tables.BETWEEN_TRANSPORTS)
            self.assertIsNotNone(tables.transport_by_key(row.transport).between)

    def test_mistakes_name_their_line(self):
        for row, reason in (("a\tlatency\t8\tapelink\tvader\tnear\t<\t1", "relation '<'"),
                            ("a\tspeed\t8\tapelink\tvader\tnear\t<=\t1", "unknown .*'speed'"),
                            ("a\tlatency\t8\tapelink\tvader\tnearby\t<=\t1", "state 'nearby'"),
                            ("a\tlatency\tbig\tapelink\tvader\tnear\t<=\t1", "'big' is not a size"),
                            ("a\tlatency\t8\tmatch\tdepth0\tnear\t<=\t1", "latency does not measure size 0"),
                            ("a\tlatency", "2 columns instead of 8")):
            with self.assertRaisesRegex(ValueError, ":2: .*" + reason):
                self.read("# header\n" + row + "\n")

    def test_verdict_on_depth(self):
        rows = self.read("a\tdeep_posted_random\t100\tmatch\tdepth0\tnear\t<=\t1.1\n"
                         "b\tdeep_posted_random\t10\tmatch\tdepth0\tnear\t<=\t1.1\n"
                         "c\tdeep_posted_random\t1000\tmatch\tdepth0\tnear\t<=\t1.1\n")
        results = run.Results([stats.Sample("deep_posted_random", transport, size, value, "near", 45, 0)
                               for transport, factor in (("match", 1), ("vader", 9))
                               for size, value in ((0, 1.0), (10, 1.05), (100, factor * 1.2))])
        self.assertEqual([v.met for v in figures.judge_all(rows, results)], [False, True, None])

    def test_figures_of_other_transports(self):
        rows = figures.read(os.path.join(OSU_BENCH, "figures.tsv"))
        self.assertEqual({f.transport for f in figures.judged_by(rows, ["vader", "match"])}, {"match"})
        self.assertNotIn("ucx", {f.reference for f in figures.judged_by(rows, ["vader", "match"])})
        self.assertIn("ucx", {f.reference for f in figures.judged_by(rows, ["ucx", "match"])})
        self.assertEqual(figures.judged_by(rows, ["tcp"]), [])

    def test_verdicts(self):
        rows = self.read("low\tlatency\t8\tapelink\tvader\tnear\t<=\t0.82\n"
                         "high\tbw\t1M\tapelink\tvader\tnear\t>=\t1.9\n"
                         "line\tni_latency\t8\tni\tline\tnear\t<=\t1.4\n"
                         "value\tni_search\t32\tni\t-\tnear\t<=\t10\n"
                         "any\tmemory\t-\tapelink\tvader\tany\t<=\t1\n"
                         "none\tlatency\t4K\tapelink\tvader\tnear\t<=\t1\n")
        results = run.Results([stats.Sample("latency", "vader", 8, 0.1, "near", 50, 0),
                               stats.Sample("latency", "apelink", 8, 0.08, "near", 50, 0),
                               stats.Sample("latency", "apelink", 8, 9.0, "far", 190, 1),
                               stats.Sample("bw", "vader", 1 << 20, 100, "near", 50, 0),
                               stats.Sample("bw", "apelink", 1 << 20, 180, "near", 50, 0),
                               stats.Sample("ni_latency", "ni", 8, 0.06, "near", 50, 0),
                               stats.Sample("ni_search", "ni", 32, 12, "near", 50, 0)])
        results.samples += [stats.Sample("memory", "vader", 0, 4000, "near", 50, 0),
                            stats.Sample("memory", "apelink", 0, 3000, "busy", 0, 0)]
        verdicts = figures.judge_all(rows, results)
        self.assertEqual([v.met for v in verdicts], [True, False, True, False, True, None])
        self.assertAlmostEqual(verdicts[0].measured, 0.8)
        self.assertAlmostEqual(verdicts[2].measured, 1.2)
        text = "\n".join(report.aligned(figures.verdict_rows(verdicts)))
        self.assertRegex(text, r"low +near +<= 0.82 x +0.80 x +1 +yes")
        self.assertRegex(text, r"high +near +>= 1.90 x +1.80 x +1 +no")
        self.assertRegex(text, r"none .* - +0 +no data")


if __name__ == "__main__":
    unittest.main()
