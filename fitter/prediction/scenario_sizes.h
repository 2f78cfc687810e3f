// The problem sizes of a scenario at a process count.
#pragma once

#include <map>
#include <string>

#include "fitter/prediction/prediction.h"
#include "fitter/runs/work.h"

namespace apmt {

/// Determines the sizes that the scenario does not give. With strong scaling, they are those of the
/// largest profiled process count. After a weak campaign, they follow the campaign's powers of P.
/// If weak scaling is requested after another kind of campaign, the work per process stays
/// constant. This rule determines only D; the sizes shown assume that all sizes grow alike.
class ScenarioSizes {
 public:
  /// Throws InputError for a size that is not in the model.
  ScenarioSizes(const Model& model, const Scenario& scenario);

  std::map<std::string, double> params_at(int procs) const;
  double work_at(int procs) const;
  /// As asked for, or as in the runs; strong if a size is given that would grow otherwise.
  Scaling scaling() const { return scaling_; }
  int base_procs() const { return base_procs_; }
  const std::map<std::string, double>& base() const { return base_; }
  const std::map<std::string, double>& exponents() const { return exponents_; }
  const std::map<std::string, double>& given() const { return given_; }

 private:
  void learn_exponents(const Model& model);
  void scale_alike(const Model& model);

  WorkExpression work_;
  Scaling scaling_ = Scaling::kStrong;
  int base_procs_ = 1;
  std::map<std::string, double> base_;       // values at base_procs_
  std::map<std::string, double> exponents_;  // size = base * (P / base_procs)^exponent
  std::map<std::string, double> given_;
};

}  // namespace apmt
