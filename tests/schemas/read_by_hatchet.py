#!/usr/bin/env python3
"""read_by_hatchet.py FILE...: Hatchet must read the files of `apmt export --format hatchet` and give back every number.

For each node, the name, the exclusive and inclusive time, and the path from the root must be those in the file, and
Hatchet's own sum over the subtree must be the inclusive time. Where Thicket is installed, it must read the files as one
ensemble. Exit code 77 (skipped) without Hatchet (pip install llnl-hatchet) or without files.
"""
import json
import math
import pathlib
import sys

try:
    import hatchet
except ImportError as missing:
    print(f"SKIP: Hatchet is not there ({missing}): pip install llnl-hatchet")
    sys.exit(77)


def expected(spec):
    """path -> (time, time (inc)), read from the file without Hatchet."""
    graph, rows = spec["graph"][0], {str(row["node"]): row for row in spec["dataframe"]}
    parent = {str(child): number for number, node in graph.items() for child in node["children"]}

    def path(number):
        return (path(parent[number]) if number in parent else ()) + (graph[number]["data"]["name"],)

    return {path(number): (rows[number]["time"], rows[number]["time (inc)"]) for number in graph}


def check(file):
    text = file.read_text(encoding="utf-8")
    wanted = expected(json.loads(text))
    frame = hatchet.GraphFrame.from_json(text)
    assert (frame.exc_metrics, frame.inc_metrics) == (["time"], ["time (inc)"]), file
    got = {}
    for node in frame.graph.traverse():
        row = frame.dataframe.loc[node]
        assert row["name"] == node.frame["name"], f"{file}: {node}"
        got[tuple(n.frame["name"] for n in node.path())] = (row["time"], row["time (inc)"])
    assert got == wanted, f"{file}: {got} instead of {wanted}"
    summed = frame.deepcopy()
    summed.dataframe["time (inc)"] = 0.0
    summed.subtree_sum(["time"], ["time (inc)"])
    for node in frame.graph.traverse():
        pair = (summed.dataframe.loc[node, "time (inc)"], frame.dataframe.loc[node, "time (inc)"])
        assert math.isclose(*pair, rel_tol=1e-9, abs_tol=1e-12), f"{file}: {node}: {pair}"
    return frame, len(got)


files = [pathlib.Path(name) for name in sys.argv[1:]]
if len(files) == 1 and files[0].is_dir():
    files = sorted(files[0].glob("hatchet.*.json"))
if not files:
    print("SKIP: no files")
    sys.exit(77)
frames = []
for one in files:
    graph_frame, count = check(one)
    frames.append((one, graph_frame))
    print(f"{one.name}: {count} nodes")
try:
    from thicket import Thicket
except ImportError as absent:
    print(f"SKIP (Thicket alone): Thicket is not there ({absent}): pip install llnl-thicket")
else:
    thickets = [Thicket.thicketize_graphframe(frame.deepcopy(), str(file)) for file, frame in frames]
    joined = Thicket.concat_thickets(thickets, disable_tqdm=True)
    assert len(joined.profile) == len(frames)
    read = joined.dataframe["time"].dropna()
    given = [frame.dataframe["time"].sum() for _, frame in frames]
    assert math.isclose(read.sum(), sum(given), rel_tol=1e-9), "Thicket lost a time"
    print(f"Thicket: {len(frames)} runs, {len(read)} times")
print(f"{len(files)} files, Hatchet {hatchet.__version__}")
