"""figures_test.py ROOT: figures.py finds every figure of a page, also the first ones of a range and rates.

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
    def missing(self, text, bench="", listed=""):
        """The figures in `text` that figures.py finds nowhere else."""
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for folder in ("docs", "bench/x", "tests/docs"):
                (root / folder).mkdir(parents=True)
            (root / "README.md").write_text("Nothing.\n", encoding="utf-8")
            (root / "docs/results.md").write_text("", encoding="utf-8")
            (root / "docs/page.md").write_text("It takes 7 s.\n" + text + "\n", encoding="utf-8")
            (root / "bench/x/README.md").write_text("7 s\n" + bench + "\n", encoding="utf-8")
            (root / "tests/docs/CMakeLists.txt").write_text("", encoding="utf-8")
            (root / "tests/docs/figures.txt").write_text(listed, encoding="utf-8")
            run = subprocess.run([sys.executable, "-B", ROOT / "tests/docs/figures.py", root], text=True,
                                 capture_output=True, check=False)
            found = re.findall(r"page\.md: '([^']+)' stands nowhere else", run.stdout)
            self.assertEqual(run.returncode, 1 if found else 0, run.stdout + run.stderr)
            return found

    def test_a_figure(self):
        self.assertEqual(self.missing("It adds 12 %."), ["12 %"])
        self.assertEqual(self.missing("It adds 12 %.", bench="It added 12 %."), [])
        self.assertEqual(self.missing("It adds 12 %.", listed="page.md | 12 % | limit | x.cpp\n"), [])

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
