// Blind forward tests: what the model that stood before a run says about it.
#pragma once

#include "fitter/model.h"
#include "service/records.h"

namespace apmt::service {

/// Compares the model with one run that it has not seen, as `apmt validate` does. If the model
/// cannot answer, the forecast has no prediction and a note with the reason.
Forecast forecast_of(const Model& model, const RunProfile& run, const StoredRun& stored,
                     std::int64_t model_id);

Json to_json(const Forecast& forecast);

}  // namespace apmt::service
