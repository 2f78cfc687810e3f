"""results_test.py ROOT: tests that the page of results says where each table was measured, and which figures
miss a goal. Copies the pages of the benchmarks, and changes a figure, a date or a line in the copy. Then
--check must refuse the page, or the page generated anew must name the figure. Also runs bench/measured.sh,
which prints the line on where a table was measured."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench/results"))
import provenance  # noqa: E402  (found by the line above)


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for page in ROOT.glob("bench/*/*.md"):
            (self.root / page.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(page, self.root / page.relative_to(ROOT))
        shutil.copytree(ROOT / "bench/results", self.root / "bench/results")
        (self.root / "docs").mkdir()
        shutil.copy(ROOT / "docs/results.md", self.root / "docs")

    def run_script(self, *words):
        return subprocess.run([sys.executable, "-B", self.root / "bench/results/results.py", *words], text=True,
                              capture_output=True, check=False, env=dict(os.environ, GIT_CEILING_DIRECTORIES=str(self.root)))

    def change(self, page, pattern, new):
        """Changes the first match of a pattern, so that tests do not depend on the figures that were measured."""
        file = self.root / "bench" / page / "README.md"
        text = file.read_text(encoding="utf-8")
        changed = re.sub(pattern, new, text, count=1, flags=re.M)
        self.assertTrue(changed != text, f"{page}: nothing like {pattern}")
        file.write_text(changed, encoding="utf-8")
        return text

    def restore(self, page, text):
        (self.root / "bench" / page / "README.md").write_text(text, encoding="utf-8")

    def written(self):
        run = self.run_script()
        self.assertEqual(run.returncode, 0, run.stderr)
        return " ".join((self.root / "docs/results.md").read_text(encoding="utf-8").split())

    def assert_refused(self, *words):
        run = self.run_script("--check")
        self.assertNotEqual(run.returncode, 0)
        for word in words:
            self.assertIn(word, run.stderr)

    def test_the_page_as_it_is_agrees(self):
        run = self.run_script("--check")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_another_figure_is_noticed(self):
        self.change("accuracy", r"^(\| nothing \| \d+ \| \d+ \|) [\d.]+ \|", r"\1 0.96 |")
        self.assert_refused("./run bench results")

    def test_another_date_commit_or_machine_is_noticed(self):
        for pattern, new in ((r"Measured: \d+-", "Measured: 2025-"), (r"commit [0-9a-f]+", "commit 0a1b2c3"),
                             (r"with \d+ cores", "with 99 cores")):
            with self.subTest(new):
                text = self.change("shim", pattern, new)
                self.assert_refused("./run bench results")
                self.restore("shim", text)

    def test_a_table_without_its_line_is_refused_by_name(self):
        for page in ("peers", "verdicts", "sample"):  # docs/results.md has no table of sample
            with self.subTest(page):
                text = self.change(page, "Measured: ", "It was: ")
                self.assert_refused(f"bench/{page}/README.md", "bench/measured.sh")
                self.restore(page, text)

    def test_a_line_of_another_form_is_refused(self):
        self.change("verdicts", r"commit [0-9a-f]+,\s", "")
        self.assert_refused("bench/verdicts/README.md", "bench/measured.sh")

    def test_a_line_that_leaves_something_out_is_found(self):
        page = self.root / "bench/made/README.md"
        page.parent.mkdir()
        machine = "AMD EPYC 7763 with 2 cores, Debian 12, Linux 6.18"
        for commit, machine, command, is_incomplete in (
                ("b67a99bc", machine, "bench/x/run.sh 'mpirun -np 2 cg.A.2'", False),
                ("b67a99bc", "two cores (CPU and OS not recorded)", "bench/x/run.sh", True),
                ("b67a99bc", "two cores (CPU and OS not\nrecorded)", "bench/x/run.sh", True),
                ("not recorded", machine, "bench/x/run.sh", True),
                ("b67a99bc", machine, "bench/x/run.sh 'mpirun -np 2 cg.A.2' ...", True)):
            line = f"Measured: {provenance.COMPLETE_SINCE}, commit {commit}, {machine}, with `{command}`."
            with self.subTest(line):
                page.write_text(f"| a |\n|---|\n| 1 |\n\n{line}\n", encoding="utf-8")
                found = provenance.incomplete(self.root)
                self.assertEqual(found, [f"bench/made/README.md: {' '.join(line.split())}"] if is_incomplete else [])
                if is_incomplete:
                    self.assertRaisesRegex(SystemExit, "bench/made/README.md", provenance.check_complete, self.root)

    def test_what_breaks_a_promise_is_named(self):
        self.change("shim", r"^(\| Iprobe +\|[^|]*\|)[^|]*\|", r"\1 990.8 |")
        self.change("verdicts", r"^\| chase \| chase \| memory \| \w+ \|", "| chase | chase | memory | compute |")
        self.change("overhead", r"^(lu\.W\.2 +mpiP +\d+ +[\d.]+) +[-\d.]+%", r"\1 -99.00%")
        self.change("virtual", r"^(\| 1024 \| 1024 \|) [\d.]+ MB \|", r"\1 7.9 MB |")
        text = self.written()
        for words in ("Iprobe (Open MPI 990.8 ns)", "chase is memory and was called compute",
                      "mpiP in lu.W.2", "largest of a rank (7.9 MB at 1024 ranks)"):
            self.assertIn(words, text)

    def test_every_section_has_every_point(self):
        parts = (ROOT / "docs/results.md").read_text(encoding="utf-8").split("\n## ")[1:]
        self.assertGreater(len(parts), 8)
        for part in parts:
            for point in ("Goal", "Exceptions", "Peers", "Paper", "Measured"):
                self.assertRegex(part, rf"(?m)^\* {point}: \S", part.splitlines()[0])


class Measured(unittest.TestCase):
    SCRIPT = ROOT / "bench/measured.sh"

    def test_the_line_names_all_that_results_need(self):
        run = subprocess.run([self.SCRIPT, "openmpi", "mpich", "simgrid", "--", "bench/x/run.sh", "a b", "--n", "2"],
                             capture_output=True, text=True, check=True)
        match = provenance.LINE.match(run.stdout.strip())
        self.assertTrue(match, run.stdout)
        self.assertEqual(match["command"], "bench/x/run.sh 'a b' --n 2")
        self.assertRegex(match["machine"], r" with \d+ cores.*, Linux \d+\.\d+, Open MPI .*, MPICH .*, SimGrid ")

    def test_wrong_use_is_refused(self):
        for words in (["fastmpi", "--", "x"], [], ["openmpi"]):
            run = subprocess.run([self.SCRIPT, *words], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 2, words)
            self.assertRegex(run.stderr, "measured.sh: .*--")

    def test_every_benchmark_prints_the_line(self):
        for page in sorted(ROOT.glob("bench/*/README.md")):
            # Commands of bench/fitter make the tables of series.
            if not re.search(r"^\|", page.read_text(encoding="utf-8"), re.M) or page.parent.name == "series":
                continue
            scripts = [file.read_text(encoding="utf-8") for file in page.parent.iterdir() if file.suffix in (".sh", ".py")]
            self.assertTrue(any("measured" in text for text in scripts), page)


unittest.main()
