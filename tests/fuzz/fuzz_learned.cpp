// Fuzzes data sets and learned models: reports, writes and reads again whatever can be read, and
// asks the model about kernels of the data from which it was learned.

#include <cmath>
#include <optional>

#include "devices/learned/data_checks.h"
#include "devices/learned/learned_model.h"
#include "reports/devices/learned.h"
#include "reports/render.h"
#include "tests/fuzz/answers.h"

namespace {

using namespace apmt;
using namespace apmt::learned;

/// Ends the process if the data set cannot be written and read again, or is different after that.
void check_data_set(const DataSet& data) {
  render_text(make_data_report(check_data(data)));
  const std::string text = to_text(data);
  if (to_text(parse_data_set(text, "again", 0)) != text) std::abort();
}

void check_model(const LearnedModel& model) {
  render_text(make_learned_model_report(model));
  const std::string text = to_text(model);
  const fuzz::File file(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (to_text(learned::read_model(file.path())) != text) std::abort();
  constexpr std::size_t kAsked = 4;
  for (std::size_t i = 0; i < model.data.runs.size() && i < kAsked; ++i)
    fuzz::answers([&] {
      const KernelRun& run = model.data.runs[i];
      const Advice advice = advise(model, {title_of(run), run.features});
      if (!std::isfinite(advice.distance) || !std::isfinite(advice.limit)) std::abort();
      format_json(to_json(advice));
      Comparison comparison;
      comparison.why_not = "none";
      render_text(make_advice_report(advice, comparison));
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<DataSet> set;
  fuzz::answers([&] { set = parse_data_set(fuzz::text_of(data, size), "fuzz"); });
  if (set) check_data_set(*set);
  std::optional<LearnedModel> model;
  const fuzz::File file(data, size);
  fuzz::answers([&] { model = learned::read_model(file.path()); });
  if (model) check_model(*model);
  return 0;
}
