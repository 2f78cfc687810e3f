#include "service/forecast.h"

#include "base/input_error.h"
#include "base/listed.h"
#include "fitter/prediction/validate.h"

namespace apmt::service {

Forecast forecast_of(const Model& model, const RunProfile& run, const StoredRun& stored,
                     std::int64_t model_id) {
  Forecast forecast;
  forecast.run = stored.id;
  forecast.application = stored.application;
  forecast.model = model_id;
  forecast.procs = stored.procs;
  forecast.params = stored.params;
  forecast.elapsed_s = stored.elapsed_s;
  forecast.factor = static_cast<double>(stored.procs) / model.max_procs();
  try {
    RunProfile renamed = run;
    give_name(model.program, &renamed);
    const Validation v =
        validate(model, make_experiment({renamed}, {.same_program = true})).front();
    forecast.factor = v.extrapolation_factor;
    forecast.is_repeat = v.was_fitted;
    forecast.confidence = v.confidence;
    if (v.whole) {
      forecast.predicted_s = v.whole->predicted.time_s;
      forecast.low_s = v.whole->predicted.low_s;
      forecast.high_s = v.whole->predicted.high_s;
      forecast.measured_s = v.whole->measured_s;
      forecast.is_covered = v.whole->is_covered();
    } else {
      forecast.note = "not measured: " + listed(v.missing);
    }
  } catch (const InputError& error) {
    forecast.note = error.what();
  }
  return forecast;
}

Json to_json(const Forecast& f) {
  return {{"run", f.run},
          {"application", f.application},
          {"model", f.model},
          {"made_at", f.made_at},
          {"procs", f.procs},
          {"params", f.params},
          {"factor", f.factor},
          {"is_repeat", f.is_repeat},
          {"confidence", f.confidence},
          {"elapsed_s", f.elapsed_s},
          {"predicted_s", json_or_null(f.predicted_s)},
          {"low_s", json_or_null(f.low_s)},
          {"high_s", json_or_null(f.high_s)},
          {"measured_s", json_or_null(f.measured_s)},
          {"covered", f.measured_s ? Json(f.is_covered) : Json()},
          {"note", f.note}};
}

}  // namespace apmt::service
