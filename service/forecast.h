// A forecast: the prediction of a run by the model that existed before the run arrived.
#pragma once

#include "fitter/model/model.h"
#include "service/records.h"

namespace apmt::service {

/// Compares the model with one run that it was not fitted to, as `apmt validate` does. If the model
/// cannot predict the run, or the run lacks a part that the model has, there is no prediction, and
/// a note gives the reason.
Forecast forecast_of(const Model& model, const RunProfile& run, const StoredRun& stored,
                     std::int64_t model_id);

Json to_json(const Forecast& forecast);

}  // namespace apmt::service
