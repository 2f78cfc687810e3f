"""Profiles, models and predictions of apmt in Python.

    import apmt
    runs = apmt.read_experiment("apmt-halo2d")
    model = apmt.read_model("apmt-halo2d/model.json")
    predictions = apmt.predict("apmt-halo2d", procs=[64, 256])
    predictions[0].time_s, predictions[0].interval_s

Everything has `rows()`: a list of dictionaries, one for each kernel, part or process count; `frame(rows)` makes a
pandas DataFrame of it, where pandas is installed. A value that is not known is None, never 0. `json` is the whole
document, field by field as docs/formats.md describes it. Nothing here evaluates a model: predict() calls the command.
"""

from .files import ReadError, predict, read_experiment, read_model, read_predictions, read_profile
from .model import Model, Prediction
from .profile import Profile
from .table import frame

__all__ = ["Model", "Prediction", "Profile", "ReadError", "frame", "predict", "read_experiment", "read_model",
           "read_predictions", "read_profile"]
