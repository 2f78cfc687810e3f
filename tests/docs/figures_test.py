"""figures_test.py ROOT: figures.py must find every figure of a page, also rates and the first figures of a range.

Writes a page, a benchmark and a list of figures into a temporary folder, and runs figures.py there.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()


class Figures(unittest.TestCase):
    def missing(self, text, bench="", listed="", not_linked=""):
        """The figures in `text` that figures.py finds nowhere else. The page links to the benchmark `bench`, but not to
        the benchmark `not_linked`."""
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for folder in ("docs", "bench/x", "bench/y", "tests/docs"):
                (root / folder).mkdir(parents=True)
            (root / "README.md").write_text("Nothing.\n", encoding="utf-8")
            (root / "docs/results.md").write_text("", encoding="utf-8")
            (root / "docs/page.md").write_text(f"It takes 7 s ([bench/x](../bench/x/README.md)).\n{text}\n",
                                               encoding="utf-8")
            (root / "bench/x/README.md").write_text("7 s\n" + bench + "\n", encoding="utf-8")
            (root / "bench/y/README.md").write_text(not_linked + "\n", encoding="utf-8")
            (root / "tests/docs/CMakeLists.txt").write_text("", encoding="utf-8")
            (root / "tests/docs/figures.txt").write_text(listed, encoding="utf-8")
            (root / "bench/x/x.cpp").write_text("", encoding="utf-8")
            run = subprocess.run([sys.executable, "-B", ROOT / "tests/docs/figures.py", root], text=True,
                                 capture_output=True, check=False)
            found = re.findall(r"page\.md: '([^']+)' stands nowhere else", run.stdout)
            self.assertEqual(run.returncode, 1 if found else 0, run.stdout + run.stderr)
            return found

    def test_a_figure(self):
        self.assertEqual(self.missing("It adds 12 %."), ["12 %"])
        self.assertEqual(self.missing("It adds 12 %.", bench="It added 12 %."), [])
        self.assertEqual(self.missing("It adds 12 %.", listed="page.md | 12 % | limit | bench/x/x.cpp\n"), [])

    def test_a_figure_of_a_page_that_is_not_linked(self):
        self.assertEqual(self.missing("It adds 12 %.", not_linked="It added 12 %."), ["12 %"])
        self.assertEqual(self.missing("It adds 12 % ([y](../bench/y)).", not_linked="It added 12 %."), [])

    def test_a_figure_of_a_transcript(self):
        block = "\n```console no-run\n$ x\nit takes   112 ms\n```\n"
        self.assertEqual(self.missing("It takes 112 ms." + block,
                                      listed="page.md | transcript $ x | example | x\n"), [])
        self.assertEqual(self.missing("It takes 12 ms." + block,
                                      listed="page.md | transcript $ x | example | x\n"), ["12 ms"])

    def test_a_source_that_does_not_exist(self):
        with self.assertRaisesRegex(AssertionError, "there is no file bench/x/y.cpp"):
            self.missing("It adds 12 %.", listed="page.md | 12 % | limit | bench/x/y.cpp\n")

    def test_every_figure_of_a_range(self):
        for text in ("12 to 14 %", "12 and 14 %", "12 or 14 %", "12-14 %", "12\u201314 %"):
            with self.subTest(text):
                self.assertEqual(self.missing(text, bench="14 %"), ["12 %"])
                self.assertEqual(self.missing(text, bench=text), [])

    def test_every_figure_of_a_list(self):
        self.assertEqual(self.missing("1.5, 20 and 300 ms"), ["1.5 ms", "20 ms", "300 ms"])

    def test_rates(self):
        for text in ("1.2 GB/s", "100 Gbit/s", "8 bytes/s", "2.5 GHz", "5 MiB/s"):
            with self.subTest(text):
                self.assertEqual(self.missing(text), [text])

    def test_what_is_no_figure(self):
        for text in ("on 4 to 16 processes", "version 1.2 of it", "`12 %`", "MPI 4.1.4"):
            with self.subTest(text):
                self.assertEqual(self.missing(text), [])


unittest.main()
