// Fuzzes model files: reads a model, writes it, and predicts with it.

#include "fitter/model/model.h"
#include "fitter/prediction/prediction.h"
#include "tests/fuzz/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return apmt::fuzz::answers([&] {
    const apmt::Json json = apmt::parse_json(apmt::fuzz::text_of(data, size), "fuzz");
    const apmt::Model model = apmt::model_from_json(json, "fuzz");
    apmt::format_json(apmt::to_json(model));
    apmt::Scenario scenario;
    scenario.procs = 4 * model.max_procs();
    apmt::format_json(apmt::to_json(apmt::predict(model, scenario)));
  });
}
