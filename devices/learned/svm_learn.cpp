#include "base/input_error.h"
#include "devices/learned/neighbour.h"
#include "devices/learned/svm.h"

#ifdef APMT_LIBSVM
#include <libsvm/svm.h>
#endif

namespace apmt::learned {

#ifdef APMT_LIBSVM

bool has_svm() { return true; }

namespace {

struct Freed {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

Svm::Parts parts_of(const svm_model& model, const std::vector<Row>& x, Svm::Parts parts) {
  for (int c = 0; c < model.nr_class; ++c) {
    parts.labels.push_back(model.label[c]);
    parts.counts.push_back(model.nSV[c]);
  }
  for (int v = 0; v < model.l; ++v)
    parts.vectors.push_back(x[static_cast<std::size_t>(model.sv_indices[v]) - 1]);
  for (int c = 0; c + 1 < model.nr_class; ++c)
    parts.coefficients.emplace_back(model.sv_coef[c], model.sv_coef[c] + model.l);
  parts.rho.assign(model.rho, model.rho + model.nr_class * (model.nr_class - 1) / 2);
  return parts;
}

}  // namespace

std::unique_ptr<Classifier> learn_svm(const Lesson& lesson, double gamma) {
  Svm::Parts parts{.classes = lesson.classes,
                   .low = {},
                   .high = {},
                   .labels = {},
                   .counts = {},
                   .vectors = {},
                   .coefficients = {},
                   .rho = {}};
  std::tie(parts.low, parts.high) = ranges_of(lesson.x);
  parts.gamma = gamma > 0 ? gamma : 1.0 / static_cast<double>(parts.low.size());
  std::vector<Row> x;
  std::vector<std::vector<svm_node>> nodes;
  std::vector<svm_node*> rows;
  std::vector<double> labels(lesson.labels.begin(), lesson.labels.end());
  for (const Row& row : lesson.x) {
    x.push_back(scaled(row, parts.low, parts.high));
    std::vector<svm_node> line;
    for (std::size_t f = 0; f < row.size(); ++f)
      line.push_back({static_cast<int>(f) + 1, x.back()[f]});
    line.push_back({-1, 0});
    nodes.push_back(std::move(line));
  }
  for (std::vector<svm_node>& line : nodes) rows.push_back(line.data());
  const svm_problem problem{static_cast<int>(rows.size()), labels.data(), rows.data()};
  svm_parameter parameter{};
  parameter.svm_type = C_SVC;
  parameter.kernel_type = RBF;
  parameter.gamma = parts.gamma;
  parameter.C = kSvmCost;
  parameter.cache_size = 200;
  parameter.eps = 1e-3;
  parameter.shrinking = 1;
  svm_set_print_string_function([](const char*) {});
  const std::unique_ptr<svm_model, Freed> model(svm_train(&problem, &parameter));
  return std::make_unique<Svm>(parts_of(*model, x, std::move(parts)));
}

#else

bool has_svm() { return false; }

std::unique_ptr<Classifier> learn_svm(const Lesson&, double) {
  throw InputError("", "this apmt was built without libsvm, so it cannot train an SVM",
                   "install libsvm-dev and build again, or choose another learner",
                   ExitCode::kFailed);
}

#endif

}  // namespace apmt::learned
