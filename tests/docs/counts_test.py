"""counts_test.py ROOT: tests that numbers in the documentation agree with the files of the repository.

* docs/import.md, "Files that were tried": for every format, the table must name the repositories that are listed in
  tests/imports/public_files.tsv. Its number of refused sets must be above 0 if a row of that list expects a refusal,
  and 0 otherwise.
  (tests/imports/round_trips.py compares the numbers of sets, because that needs the files.)
* docs/learned.md: the number of questions of the model that comes with apmt, and how many of them it answers.
"""
import collections
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/imports"))
import round_trips  # noqa: E402  (found by the line above)


class Import(unittest.TestCase):
    def test_every_format_has_its_repositories(self):
        listed = collections.defaultdict(set)
        for row in round_trips.rows():
            if row["format"] in round_trips.NAMES:
                listed[round_trips.NAMES[row["format"]]].add(row["repository"])
        owners = "|".join({repository.split("/")[0] for names in listed.values() for repository in names})
        page = {name: set(re.findall(rf"(?:{owners})/[\w.-]+", re.sub(r"`[^`]*`", "", cells[0])))
                for name, cells in round_trips.documented().items()}
        self.assertEqual(page, listed)

    def test_refused_sets_are_expected_to_be(self):
        refused = {round_trips.NAMES[row["format"]] for row in round_trips.rows()
                   if row["result"].startswith("refused") and row["format"] in round_trips.NAMES}
        self.assertEqual({name for name, cells in round_trips.documented().items() if cells[2]}, refused)

    def test_another_number_is_noticed(self):
        totals = {kind: collections.Counter(same=cells[1], refused=cells[2]) for kind, name in round_trips.NAMES.items()
                  for cells in [round_trips.documented()[name]]}
        self.assertEqual(list(round_trips.differences_from_page(totals, set())), [])
        totals["cubex"]["refused"] += 1
        self.assertRegex("".join(round_trips.differences_from_page(totals, set())), "^docs/import.md: `.cubex`: ")
        self.assertEqual(list(round_trips.differences_from_page(totals, {"cubex"})), [])


class Learned(unittest.TestCase):
    def test_the_model_that_comes_with_apmt(self):
        text = (ROOT / "configs/learned/aiwc.model.json").read_text(encoding="utf-8")
        questions = json.loads(text)["questions"]
        # The same condition as in LearnedQuestion::is_answered() (devices/learned/learned_model.h).
        answered = [each for each in questions
                    if each.get("classifier") and each.get("brier") is not None and each["brier"] < each["base_brier"]]
        self.assertIn(f"The model that comes with apmt answers {len(answered)} of its {len(questions)} questions",
                      " ".join((ROOT / "docs/learned.md").read_text(encoding="utf-8").split()))


unittest.main()
