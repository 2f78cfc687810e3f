#!/usr/bin/env python3
"""call_classes.py ROOT: checks the class of each MPI call in pmpi-shim/calls: the class must follow from the chapter of
the MPI standard (the file) and from whether the call moves data or only sets something on the rank (the rule Local)."""
import re
import sys
from pathlib import Path

CALL = re.compile(r"^APMT_CALL\w*\((\w+), (k\w+), (\w+)", re.MULTILINE)
CLASSES = {  # of calls that are not local, and of local ones; the compiler tells kCollective from kRooted
    "collectives": ({"kCollective", "kRooted"}, {"kOther"}),
    "completion": ({"kCompletion"}, {"kOther"}),
    "files": ({"kIo"}, {"kIo"}),
    "neighbours": ({"kRooted"}, set()),
    "one_sided": ({"kOneSided"}, {"kOneSided", "kOther"}),
    "point_to_point": ({"kPointToPoint"}, {"kOther"}),
}
# Local calls with another class than CLASSES gives, because they are about the completion of a request or a part of a
# message.
EXCEPTIONS = {"Request_get_status": "kCompletion", "Parrived": "kPointToPoint", "Pready": "kPointToPoint",
              "Pready_list": "kPointToPoint", "Pready_range": "kPointToPoint"}

calls, wrong = 0, 0
for file in sorted((Path(sys.argv[1]) / "pmpi-shim/calls").glob("*.def")):
    moving, local = CLASSES.get(file.stem, ({"kOther"}, {"kOther"}))
    for name, its_class, rule in CALL.findall(file.read_text()):
        calls += 1
        expected = {EXCEPTIONS[name]} if name in EXCEPTIONS else local if rule == "Local" else moving
        if its_class not in expected:
            wrong += 1
            print(f"{file.name}: MPI_{name} has the class {its_class}, expected {' or '.join(sorted(expected))}")
if calls == 0:
    sys.exit("no calls found")
print(f"{calls} calls, {wrong} with a wrong class")
sys.exit(wrong > 0)
