// apmt learn: classifiers for devices, from kernels that were ported.

#include <cstdio>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/json_fields.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/verbs.h"
#include "devices/learned/data_checks.h"
#include "devices/learned/data_set.h"
#include "reports/learned.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kFooter =
    "import reads data sets, joins them and reports what is missing, constant, duplicated or\n"
    "shared. Without a file it reads the data that come with apmt.\n"
    "docs/learned.md describes the files.\n"
    "\n"
    "Examples:\n"
    "  apmt learn import                           the shipped data\n"
    "  apmt learn import ours.csv theirs.csv -o all.csv";

struct Options {
  std::string action;
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  bool json = false;
};

learned::DataSet data_of(const Options& options) {
  if (options.files.empty()) return learned::read_data_set(configs_dir() / "learned" / "aiwc.csv");
  std::vector<learned::DataSet> sets;
  for (const std::filesystem::path& file : options.files)
    sets.push_back(learned::read_data_set(file));
  return learned::joined(std::move(sets));
}

void print(const Report& report, const Json& json, bool as_json) {
  std::fputs((as_json ? format_json(json) : render_text(report)).c_str(), stdout);
}

int import(const Options& options) {
  const learned::DataSet data = data_of(options);
  const learned::DataFindings findings = check_data(data);
  print(make_data_report(findings), struct_to_json(findings), options.json);
  if (!options.output.empty()) {
    write_file_atomically(options.output, to_text(data));
    logging::info("data set written to {}", options.output.string());
  }
  return 0;
}

int run(const Options& options) { return import(options); }

}  // namespace

void add_learn(CommandLine& program) {
  Verb verb = program.add_verb("learn", "Learn which device suits a kernel from kernels ported");
  verb.footer(kFooter);
  auto options = std::make_shared<Options>();
  verb.add_option("action", options->action, "What to do").required().check(one_of({"import"}));
  verb.add_option("file", options->files, "Data sets [the data that come with apmt]")
      .check(existing_file());
  verb.add_option("-o,--output", options->output, "File to write");
  verb.add_flag("--json", options->json, "Print the result as JSON");
  verb.action([options] { return run(*options); });
}

}  // namespace apmt
