// apmt advise: predicts from ported kernels which device suits a kernel that was not ported yet.

#include <cstdio>

#include "base/input_error.h"
#include "cli/installation.h"
#include "cli/verbs.h"
#include "devices/learned/advice.h"
#include "reports/learned.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kAdviseFooter =
    "Reads the features of a kernel (JSON) or the kernels of a data set (CSV), and prints the\n"
    "probability of a speed-up above 1, 2 and 5 on each device of the model, and the nearest\n"
    "kernels that were ported. It abstains where its predictions for applications that were left\n"
    "out were no better than the base rate. If a kernel is unlike all known ones, it says so.\n"
    "\n"
    "Examples:\n"
    "  apmt advise features.json\n"
    "  apmt advise kernels.csv --kernel lud/lud_diagonal/tiny --model ours.json";

struct AdviseArguments {
  std::filesystem::path file;
  std::filesystem::path model;
  std::string kernel;
  bool json = false;
};

int run_advise(const AdviseArguments& options) {
  const learned::LearnedModel model = learned::read_model(
      options.model.empty() ? configs_dir() / "learned" / "aiwc.model.json" : options.model);
  Json all = Json::array();
  std::string text;
  for (const learned::AskedKernel& kernel :
       read_kernels(options.file, model.data.head.definitions)) {
    if (!options.kernel.empty() && kernel.title != options.kernel) continue;
    const learned::Advice advice = advise(model, kernel);
    all.push_back(to_json(advice));
    if (!options.json) text += (text.empty() ? "" : "\n") + render_text(make_advice_report(advice));
  }
  if (all.empty())
    throw InputError(options.file.string(), "there is no kernel '" + options.kernel + "' in it",
                     "kernels are named application/kernel/input");
  std::fputs((options.json ? format_json(all) : text).c_str(), stdout);
  return 0;
}

}  // namespace

void add_advise(CommandLine& program) {
  Verb verb =
      program.add_verb("advise", "Predict which device suits a kernel, from ported kernels");
  verb.footer(kAdviseFooter);
  auto options = std::make_shared<AdviseArguments>();
  verb.add_option("file", options->file, "Analysis (.json) or data set (.csv) with the kernel")
      .required()
      .check(existing_file());
  verb.add_option("--model", options->model,
                  "Model of apmt learn train [the one that comes with apmt]")
      .check(existing_file());
  verb.add_option("--kernel", options->kernel,
                  "Of a data set only this one: APPLICATION/KERNEL/INPUT");
  verb.add_flag("--json", options->json, "Print the result as JSON");
  verb.action([options] { return run_advise(*options); });
}

}  // namespace apmt
