"""Reads apmt's files, and calls the command `apmt` for predictions."""

import json
import os
import subprocess

from .model import Model, Prediction
from .profile import Profile


class ReadError(ValueError):
    """A file cannot be read, or apmt makes no prediction. The message says why."""


def _document(path, name=None, format_name=None, major=1):
    path = os.fspath(path)
    if name and os.path.isdir(path):
        path = os.path.join(path, name)
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as error:
        raise ReadError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise ReadError(f"{path}: not JSON: {error}") from error
    if format_name:
        found = document.get("format") if isinstance(document, dict) else None
        if found != format_name:
            raise ReadError(f"{path}: expected the format {format_name}, found {found}")
        version = document.get("format_version")
        if not str(version).startswith(f"{major}."):
            raise ReadError(f"{path}: format_version {version} is not known, expected {major}.x")
    return document


def read_profile(path):
    """Reads a run; `path` is its folder or its profile.json."""
    return Profile(_document(path, "profile.json", "apmt-run-profile"))


def read_experiment(directory):
    """Reads all runs in the folder of an experiment that have a profile.json; sorted by process count, sizes and
    repetition."""
    directory = os.fspath(directory)
    try:
        names = sorted(name for name in os.listdir(directory) if name.startswith("apmt-"))
    except OSError as error:
        raise ReadError(f"{directory}: {error.strerror}") from error
    runs = [read_profile(os.path.join(directory, name)) for name in names
            if os.path.exists(os.path.join(directory, name, "profile.json"))]
    if not runs:
        raise ReadError(f"{directory}: no run in it (apmt-<program>.p<processes>.r<repetition>/profile.json)")
    return sorted(runs, key=lambda run: (run.procs, sorted(run.params.items()), run.repetition))


def read_model(path):
    """Reads a model; `path` is its file, or the folder of the experiment into which `apmt fit` wrote model.json."""
    return Model(_document(path, "model.json", "apmt-model", 2))


def _predictions(document):
    return [Prediction(each) for each in (document if isinstance(document, list) else [document])]


def read_predictions(path):
    """Reads the output of `apmt predict --json`; returns a list, also for a single prediction."""
    predictions = _predictions(_document(path))
    for prediction in predictions:
        if not isinstance(prediction.json, dict) or not {"procs", "time_s", "low_s", "high_s"} <= set(prediction.json):
            raise ReadError(f"{os.fspath(path)}: not the output of apmt predict --json")
    return predictions


def predict(path, procs, *options, command="apmt"):
    """Predictions for a model or experiment. Further options are those of `apmt predict`, as in
    predict(dir, [64], "--set", "n=9")."""
    words = [command, "predict", os.fspath(path), "--json", "--procs", ",".join(str(count) for count in procs)]
    done = subprocess.run([*words, *options], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise ReadError(done.stderr.strip() or f"{command} ended with {done.returncode}")
    return _predictions(json.loads(done.stdout))
