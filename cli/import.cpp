// apmt import: measurements of Extra-P in, an experiment of runs out.

#include <fstream>
#include <sstream>

#include "base/input_error.h"
#include "base/words.h"
#include "campaign/run_directory.h"
#include "cli/logging.h"
#include "cli/verbs.h"
#include "fitter/foreign_data.h"
#include "fitter/foreign_kind.h"

namespace apmt {
namespace {

constexpr const char* kFooter =
    "Reads Extra-P's JSON Lines and text format. Times are exclusive;\n"
    "call paths that end in MPI_... are communication, all others are kernels; a single call path "
    "is\n"
    "the total.\n"
    "\n"
    "Examples:\n"
    "  apmt import kripke.jsonl\n"
    "  apmt import lulesh.txt --procs-from x --time exclusive_time --dir apmt-lulesh";

struct Options {
  std::filesystem::path file;
  std::filesystem::path dir;
  ForeignOptions foreign;
};

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw InputError(file.string(), "cannot be read, or is empty");
  return text.str();
}

int run(Options options) {
  namespace fs = std::filesystem;
  if (options.foreign.program.empty()) options.foreign.program = options.file.stem().string();
  const fs::path dir =
      options.dir.empty() ? fs::path("apmt-" + options.foreign.program) : options.dir;
  if (fs::exists(dir))
    throw InputError(
        dir.string(), "exists already",
        "imported runs cannot be mixed with others: choose another directory with --dir");
  const std::string text = read(options.file);
  const bool json_lines =
      foreign_kind(options.file.string(), text) == ForeignKind::kExtrapJsonLines;
  const std::vector<ForeignValues> values =
      json_lines ? read_extrap_json_lines(text, options.file.string())
                 : read_extrap_text(text, options.file.string());
  const std::vector<RunProfile> profiles = profiles_from(values, options.foreign);
  for (const RunProfile& profile : profiles) {
    const fs::path run = dir / run_name(profile);
    fs::create_directories(run);
    write_run_profile(profile, run / "profile.json");
  }
  logging::info("imported {} into {}", counted(profiles.size(), "run"), dir.string());
  return 0;
}

}  // namespace

void add_import(CommandLine& program) {
  Verb verb = program.add_verb("import", "Make an experiment of measurements of Extra-P");
  verb.footer(kFooter);
  auto options = std::make_shared<Options>();
  verb.add_option("file", options->file, "JSON Lines or text of Extra-P")
      .required()
      .check(existing_file());
  verb.add_option("--dir", options->dir, "Experiment directory to make [apmt-<program>]");
  verb.add_option("--program", options->foreign.program, "Name of the program [of the file]");
  verb.add_option("--procs-from", options->foreign.procs_from,
                  "Parameter that is the number of processes [p, procs, ranks, ...]");
  verb.add_option("--time", options->foreign.time_metric, "Metric in seconds [time]");
  verb.add_flag("--summed", options->foreign.summed, "Values are sums over ranks [means per rank]");
  verb.action([options] { return run(*options); });
}

}  // namespace apmt
