#!/usr/bin/env python3
"""reference_set.py APMT SOURCES [PLUGIN] > configs/kernels/reference.json: analyses the known kernels in C, Fortran and
OpenCL, and prints their AIWC metrics. In the Kiviat pictures of apmt report, each axis ends at the largest of these
values. Without PLUGIN (libapmt-oclgrind.so), OpenCL kernels are left out."""
import json
import re
import sys
import tempfile
from pathlib import Path

from checks import run

apmt, sources, plugin = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
# The arrays of suite.c and suite.f90 have 16,384 elements: enough for n and for m * m.
n, m = 16000, 64


def analysed(folder, analysers, *command):
    file = folder / "analysis.json"
    # setarch -R turns the randomisation of addresses off, so that every run has the same counts.
    run("setarch", "-R", apmt, "-q", "analyze", "--with", analysers, "-o", file, *command, cwd=folder)
    return json.loads(file.read_text())["kernels"]


kernels = []
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for verb, source in (("cc", "suite.c"), ("fc", "suite.f90")):
        run(apmt, "analyze", verb, "-O2", sources / source, "-o", folder / "program")
        kernels += analysed(folder, "aiwc", "--", folder / "program", n, m)
    if plugin:
        library = next(Path("/usr/lib").glob("*/libOpenCL.so.1"))
        run("cc", "-O1", sources / "opencl" / "suite.c", "-o", folder / "host", library)
        for analysers in ("aiwc", "aiwc-compat"):
            kernels += analysed(folder, analysers, "--opencl", "--", folder / "host", sources / "opencl" / "suite.cl")

helpers = ("begin", "show", "main")
rows = []
for kernel in kernels:
    if kernel["aiwc"] is None or kernel["name"] in helpers:
        continue
    # Removes the folder, which differs between machines.
    kernel["aiwc"]["work_item"] = re.sub(r"(iteration of ).*/", r"\1", kernel["aiwc"]["work_item"])
    kept = {name: kernel[name] for name in ("function", "name", "line", "invocations", "threads", "opencl", "aiwc")}
    kept |= {"file": Path(kernel["file"]).name, "loops": [], "blind_spots": []}
    rows.append(json.dumps({**dict.fromkeys(kernel), **kept}, sort_keys=True))

print(
    """{
"format": "apmt-analysis", "format_version": "1.0",
"program": "tests/kernels/reference_set.py", "analysers": ["aiwc"],
"processes": 1, "scopes": [], "copied_to_device_bytes": 0, "copied_from_device_bytes": 0,
"kernels": [
"""
    + ",\n".join(rows)
    + "\n]}"
)
