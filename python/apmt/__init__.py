"""Reads profiles, models and predictions of apmt in Python.

    import apmt
    runs = apmt.read_experiment("apmt-halo2d")
    model = apmt.read_model("apmt-halo2d/model.json")
    predictions = apmt.predict("apmt-halo2d", procs=[64, 256])
    predictions[0].time_s, predictions[0].interval_s

Methods such as rows(), kernels() and parts() return rows: a list of dictionaries, one for each process count, kernel or
part. `frame(rows)` makes a pandas DataFrame of them, if pandas is installed. An unknown value is None, never 0. The
attribute `json` is the whole document, whose fields docs/formats.md and docs/formats-outputs.md describe. This
package evaluates no model: predict() calls the command `apmt`.
"""

from .files import ReadError, predict, read_experiment, read_model, read_predictions, read_profile
from .model import Model, Prediction
from .profile import Profile
from .table import frame

__all__ = ["Model", "Prediction", "Profile", "ReadError", "frame", "predict", "read_experiment", "read_model",
           "read_predictions", "read_profile"]
