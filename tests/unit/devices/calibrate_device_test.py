#!/usr/bin/env python3
"""calibrate_device_test.py APMT ANALYSED_KERNELS cpu|opencl|CUDA_LIBRARY: measures a device of this machine with small
data: its processors, its first OpenCL device, or the stand-in for CUDA in CUDA_LIBRARY, which executes nothing, so that
the figures mean nothing. The card must be read again, and apmt match must be able to use it."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../kernels"))
from checks import check, finish, parsed, run  # noqa: E402  (found by the line above)

apmt, analysed_kernels, device = sys.argv[1:]
largest = 65536
libraries = tempfile.TemporaryDirectory()
if device not in ("cpu", "opencl"):
    for name in ("libcuda.so.1", "libnvrtc.so", "libnvrtc.so.12"):
        os.symlink(device, os.path.join(libraries.name, name))
    os.environ["LD_LIBRARY_PATH"] = libraries.name
    device = "cuda"


def values(of):
    """All figures of a part of the card."""
    if isinstance(of, dict):
        return [of["value"]] if "value" in of else [v for part in of.values() for v in values(part)]
    return [v for part in of for v in values(part)] if isinstance(of, list) else []


with tempfile.TemporaryDirectory() as folder:
    tried = subprocess.run([apmt, "-q", "calibrate", "--device", device, "--largest-bytes", str(largest), "-o", "card.yaml",
                            "--json"], capture_output=True, text=True, cwd=folder)
    if "there is no OpenCL device" in tried.stderr:
        print("SKIP: there is no OpenCL device")
        sys.exit(77)
    if tried.returncode != 0:
        sys.exit(f"FAILED: exit code {tried.returncode}\n{tried.stderr}")
    written = tried.stdout
    check("the card that is read again", run(apmt, "calibrate", "--show", "card.yaml", "--json", cwd=folder), written)
    card = parsed(written)
    if device == "cpu":
        check("processors", card["cores"]["value"], len(os.sched_getaffinity(0)))
    check("kind", card["kind"] in {"cpu": ["cpu"], "cuda": ["gpu"]}.get(device, ["cpu", "gpu", "accelerator"]), True)
    check("source", [source["kind"] for source in card["sources"].values()], ["measured"])
    check("one idiom of each kind", len(card["idioms"]), 8)
    for idiom, curve in card["idioms"].items():
        check(f"{idiom} from 1 KB", 256 <= curve["points"][0][0] <= 1024, True)
        check(f"{idiom} to {largest}", largest / 4 <= curve["points"][-1][0] <= largest, True)
    levels = card.get("levels", [])
    if card["kind"] == "cpu":
        check("sizes of levels", [level["size_bytes"] is None for level in levels], [False] * (len(levels) - 1) + [True])
    for level in levels:
        check(f"figures of {level['name']}", level["latency_s"]["value"] > 0 and level["bytes_per_s"]["value"] > 0, True)
    if levels:
        check("the slow memory", card["slow_bytes_per_s"], levels[-1]["bytes_per_s"])
    if device != "cpu":
        check("a launch", card["launch_s"]["value"] > 0, True)
        for way in ("to_device", "from_device"):
            check(way, card[way]["latency_s"]["value"] > 0 and card[way]["bytes_per_s"]["value"] > 0, True)
    for precision in ("double", "single"):
        check(f"{precision} peaks", len(values(card["rates"][precision]["peak"])), 2)
    check("all figures above 0", min(values(card)) > 0, True)
    with open(os.path.join(folder, "analysis.json"), "w") as file:
        file.write(run(analysed_kernels))
    match = parsed(run(apmt, "match", "analysis.json", "--device", "card.yaml", "--json", cwd=folder))
    times = [kernel["predictions"][0]["time"] for kernel in match["kernels"]]
    check("a kernel has a time", any(time and time["total_s"] > 0 for time in times), True)
    refused = subprocess.run([apmt, "calibrate", "--largest-bytes", str(largest)], capture_output=True, text=True)
    check("without --device", (refused.returncode, "--largest-bytes is for --device" in refused.stderr), (2, True))
finish("a card of this machine was written, read again and used")
