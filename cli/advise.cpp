// apmt advise: predicts which device suits a kernel that has not been ported, from data about
// kernels that have been ported.

#include <cstdio>

#include "base/input_error.h"
#include "cli/installation.h"
#include "cli/other_verbs.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "devices/learned/advice.h"
#include "devices/learned/comparison.h"
#include "machine/named_file.h"
#include "reports/devices/learned.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kAdviseFooter =
    "Reads the kernels of an analysis (apmt analyze --with aiwc), the features of a kernel (JSON)\n"
    "or the kernels of a data set (CSV), and prints the probability of a speed-up above 1, 2 and\n"
    "5 on each device of the model, and the nearest kernels that were ported. It abstains where\n"
    "its predictions for applications that were left out were no better than the base rate. If a\n"
    "kernel is unlike all known ones, it reports this. For kernels of an analysis it adds the\n"
    "answer of apmt match on the devices that have a card, and why the two answers differ.\n"
    "\n"
    "Examples:\n"
    "  apmt advise\n"
    "  apmt advise analysis.json --model ours.json --card cpu=machine.yaml --card gpu=h100-sxm\n"
    "  apmt advise features.json\n"
    "  apmt advise kernels.csv --kernel lud/lud_diagonal/tiny --model ours.json";

struct AdviseArguments {
  std::filesystem::path file = "analysis.json";
  std::filesystem::path model;
  std::string kernel;
  std::vector<std::string> cards;
  bool json = false;
};

/// The cards that --card names. The model's other devices get the cards of the same name that come
/// with apmt, if there are any.
learned::Cards cards_of(const learned::DataSet& data, const std::vector<std::string>& named) {
  learned::Cards cards;
  for (const std::string& word : named) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw InputError("--card", "expected DEVICE=CARD, not '" + word + "'",
                       "--card gpu=h100-sxm: a device of the model, and a file or a name");
    const std::string& device = data.head.devices[data.device_index(word.substr(0, equals))].name;
    if (cards.contains(device))
      throw InputError("--card " + word, "this device has a card already");
    cards[device] = devices::read_device(
        named_file(word.substr(equals + 1), configs_dir(), {"devices", "machines"}, "device card"));
  }
  for (const learned::KnownDevice& device : data.head.devices) {
    const std::filesystem::path shipped = configs_dir() / "devices" / (device.name + ".yaml");
    if (!cards.contains(device.name) && std::filesystem::exists(shipped))
      cards[device.name] = devices::read_device(shipped);
  }
  return cards;
}

int run_advise(const AdviseArguments& options) {
  if (!std::filesystem::exists(options.file))
    throw InputError(options.file.string(), "there is no such file",
                     "apmt analyze writes analysis.json");
  const learned::LearnedModel model = learned::read_model(
      options.model.empty() ? configs_dir() / "learned" / "aiwc.model.json" : options.model);
  Json all = Json::array();
  std::string text;
  const learned::Cards cards = cards_of(model.data, options.cards);
  for (const learned::AskedKernel& kernel :
       read_kernels(options.file, model.data.head.definitions, options.kernel)) {
    const learned::Advice advice = advise(model, kernel);
    const learned::Comparison comparison = compare(model, kernel, advice, cards);
    Json json = to_json(advice);
    json["analytical"] = to_json(comparison);
    all.push_back(std::move(json));
    if (!options.json)
      text += (text.empty() ? "" : "\n") +
              render_text(make_advice_report(advice, comparison), text_columns());
  }
  std::fputs((options.json ? format_json(all) : text).c_str(), stdout);
  return 0;
}

}  // namespace

void add_advise(CommandLine& program) {
  Verb verb = program.add_verb(kAdvise.name, kAdvise.help);
  verb.footer(kAdviseFooter);
  auto options = std::make_shared<AdviseArguments>();
  verb.add_option("file", options->file,
                  "Analysis or features (.json), or data set (.csv), with the kernel")
      .check(existing_file())
      .shows_default();
  verb.add_option("--model", options->model,
                  "Model of apmt learn train [the one that comes with apmt]")
      .check(existing_file());
  verb.add_option("--kernel", options->kernel,
                  "Only this one: its name in the analysis, or APPLICATION/KERNEL/INPUT");
  verb.add_option("--card", options->cards,
                  "DEVICE=CARD: the card (file or name) of a device of the model [the card that "
                  "comes with apmt under the device's name]")
      .one_word();
  verb.add_flag("--json", options->json, "Print the result as JSON");
  verb.action([options] { return run_advise(*options); });
}

}  // namespace apmt
