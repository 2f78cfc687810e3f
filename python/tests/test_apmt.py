"""Tests the package with files that apmt has just written (tests/schemas/make_outputs.sh), and with invalid ones."""

import json
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

import apmt

OUTPUTS = os.environ.get("APMT_OUTPUTS", "")


def output(*path):
    return os.path.join(OUTPUTS, *path)


@unittest.skipUnless(os.path.isdir(OUTPUTS), "APMT_OUTPUTS names no folder: ctest -R python makes it")
class Files(unittest.TestCase):
    def test_an_experiment_is_its_runs_in_order(self):
        runs = apmt.read_experiment(output("apmt-halo2d"))
        self.assertEqual([(run.procs, run.repetition) for run in runs],
                         [(2, 1), (2, 2), (4, 1), (4, 2), (8, 1), (8, 2)])
        self.assertEqual({run.program for run in runs}, {"halo2d"})

    def test_times_are_those_of_the_file(self):
        run = apmt.read_profile(output("apmt-halo2d", "apmt-halo2d.p4.r1"))
        walls = run.json["times"]["wall_s"]
        self.assertEqual(len(walls), 4)
        self.assertEqual(run.elapsed_s, max(walls))
        self.assertEqual([row["wall_s"] for row in run.times()], walls)
        self.assertAlmostEqual(run.time_s("wall"), sum(walls) / 4)

    def test_mpi_operations_add_up(self):
        run = apmt.read_profile(output("apmt-halo2d", "apmt-halo2d.p4.r1"))
        self.assertEqual(sum(row["calls"] for row in run.mpi()), sum(row["calls"] for row in run.json["mpi"]))
        names = [row["op"] for row in run.mpi()]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("MPI_Allreduce", names)

    def test_kernels_have_what_their_samples_stand_for(self):
        name = os.listdir(output("alone"))[0]
        run = apmt.read_profile(output("alone", name))
        self.assertEqual(len(run.kernels()), len(run.json["kernels"]))
        for row, kernel in zip(run.kernels(), run.json["kernels"]):
            for metric, counter in kernel["counters"].items():
                self.assertAlmostEqual(row[metric], counter["mean"])

    def test_a_model_shows_its_points(self):
        model = apmt.read_model(output("apmt-halo2d"))
        self.assertEqual([row["procs"] for row in model.points()], [2, 4, 8])
        self.assertEqual(model.grade, model.json["grade"])
        self.assertEqual({row["op"] for row in model.counts()}, {count["op"] for count in model.json["counts"]})
        self.assertEqual(apmt.read_model(output("model.fit.json")).points(), model.points())

    def test_predictions_of_a_file_and_of_the_command_are_the_same(self):
        one = apmt.read_predictions(output("prediction.one.json"))
        self.assertEqual([prediction.procs for prediction in one], [32])
        asked = apmt.predict(output("apmt-halo2d"), [32])
        self.assertEqual(asked[0].json, one[0].json)
        low, high = one[0].interval_s
        self.assertLessEqual(low, one[0].time_s)
        self.assertLessEqual(one[0].time_s, high)
        self.assertAlmostEqual(sum(row["time_s"] for row in one[0].parts()), one[0].time_s, delta=1e-6 * one[0].time_s)
        self.assertEqual(len(apmt.read_predictions(output("prediction.what-if.json"))), 2)

    def test_totals_have_no_parts(self):
        prediction = apmt.read_predictions(output("prediction.totals.json"))[0]
        self.assertEqual(prediction.parts(), [])
        self.assertEqual(prediction.rows()[0]["procs"], 64)

    def test_the_command_says_what_is_wrong(self):
        with self.assertRaisesRegex(apmt.ReadError, "nowhere"):
            apmt.predict(output("nowhere"), [4])

    def test_formats_are_told_apart(self):
        with self.assertRaisesRegex(apmt.ReadError, "expected the format apmt-model, found apmt-run-profile"):
            apmt.read_model(output("profile.info.json"))
        with self.assertRaisesRegex(apmt.ReadError, "not the output of apmt predict"):
            apmt.read_predictions(output("doctor.json"))


class WrongFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, text):
        path = os.path.join(self.folder, "model.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_absent(self):
        with self.assertRaisesRegex(apmt.ReadError, "profile.json: No such file"):
            apmt.read_profile(self.folder)
        with self.assertRaisesRegex(apmt.ReadError, "no run in it"):
            apmt.read_experiment(self.folder)

    def test_no_json(self):
        with self.assertRaisesRegex(apmt.ReadError, "not JSON"):
            apmt.read_model(self.write("{"))

    def test_version_of_tomorrow(self):
        with self.assertRaisesRegex(apmt.ReadError, "format_version 3.0 is not known, expected 2.x"):
            apmt.read_model(self.write(json.dumps({"format": "apmt-model", "format_version": "3.0"})))


class Tables(unittest.TestCase):
    def test_without_pandas_the_error_says_what_to_do(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "python3-pandas"):
                apmt.frame([])

    def test_pandas_gets_the_rows(self):
        standin = types.ModuleType("pandas")
        standin.DataFrame = list
        with mock.patch.dict(sys.modules, {"pandas": standin}):
            self.assertEqual(apmt.frame([{"a": 1}]), [{"a": 1}])


class Notebook(unittest.TestCase):
    @unittest.skipUnless(os.path.isdir(OUTPUTS), "APMT_OUTPUTS names no folder: ctest -R python makes it")
    def test_its_cells_run_in_order(self):
        """Runs the code cells in order as plain Python, which is what a Jupyter kernel would do as well."""
        path = os.path.join(os.path.dirname(__file__), "..", "first_look.ipynb")
        with open(path, encoding="utf-8") as file:
            notebook = json.load(file)
        self.assertEqual(notebook["nbformat"], 4)
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertGreaterEqual(len(cells), 4)
        space = {}
        before = os.getcwd()
        os.chdir(OUTPUTS)
        self.addCleanup(os.chdir, before)
        for number, code in enumerate(cells):
            with mock.patch("builtins.print") as said:
                exec(compile(code, f"cell {number}", "exec"), space)
            if "print(" in code:
                self.assertTrue(said.called, code)
        self.assertEqual([run.procs for run in space["runs"]], [2, 2, 4, 4, 8, 8])
        self.assertEqual([prediction.procs for prediction in space["predictions"]], [16, 32, 64])


if __name__ == "__main__":
    unittest.main()
