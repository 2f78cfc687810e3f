#include "fitter/fit/fit.h"

#include "base/input_error.h"
#include "fitter/fit/backtest.h"
#include "fitter/fit/model_fit.h"
#include "fitter/kernels/analysed_counts.h"
#include "fitter/runs/work.h"

namespace apmt {

Model fit(const Experiment& experiment, const FitOptions& options) {
  std::string error;
  if (!options.is_valid(&error)) throw InputError("", error);
  const LawCatalog catalog = read_law_catalog(options.configs);
  const auto fitted = [&](const Experiment& e) {
    Model model = fit_points(e, options, catalog);
    model.backtest = run_backtest(e, model, options, catalog);
    return model;
  };
  if (experiment.analyses.empty()) return fitted(experiment);
  return fitted(with_analysed_counts(experiment, choose_work(experiment, options.work).at_points,
                                     options.memory.caches));
}

}  // namespace apmt
