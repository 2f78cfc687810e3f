// apmt import: makes an experiment from measurements of other tools.

#include <fstream>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/listed.h"
#include "base/words.h"
#include "campaign/store/run_directory.h"
#include "cli/logging.h"
#include "cli/other_verbs.h"
#include "cli/verbs.h"
#include "foreign/files.h"
#include "foreign/folder.h"
#include "foreign/kind.h"
#include "foreign/names.h"

namespace apmt {
namespace {

constexpr const char* kImportFooter =
    "Reads Extra-P's text, JSON Lines, JSON and .extra-p, profiles of Score-P (.cubex), reports of "
    "mpiP,\n"
    "Caliper's .cali and JSON, and TALP's JSON.\n"
    "Several files make one experiment; files with the same processes and sizes are repetitions.\n"
    "Sizes are the parameters in the file; for .cubex and TALP, the folder's name gives them\n"
    "(lulesh.p27.size30.r1); for Caliper, the metadata that --size-from names.\n"
    "Times are exclusive; call paths that end in MPI_... are communication, all others are "
    "kernels; a\n"
    "single call path is the total.\n"
    "\n"
    "Examples:\n"
    "  apmt import kripke.jsonl\n"
    "  apmt import lulesh.txt --procs-from x --time exclusive_time --dir apmt-lulesh\n"
    "  apmt import app.*.mpiP                        (a report for each run)\n"
    "  apmt import lulesh.p*/profile.cubex\n"
    "  apmt import run*.cali --size-from problem_size";

struct ImportArguments {
  std::vector<std::filesystem::path> files;
  std::filesystem::path dir;
  ForeignReading reading;
  std::vector<std::string> sizes;
  ForeignOptions foreign;
};

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// Returns the text of the file. A file above kMostBytes is refused. It may be a trace, which apmt
/// does not import: then foreign_kind(), given the beginning of the text, throws an InputError that
/// names the format.
std::string text_of(const std::filesystem::path& file) {
  if (std::filesystem::file_size(file) > kMostBytes) {
    std::string beginning(64 << 10, '\0');
    std::ifstream(file, std::ios::binary)
        .read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    (void)foreign_kind(file.string(), beginning);
  }
  return read_whole_file(file, kMostBytes);
}

int run_import(ImportArguments options) {
  namespace fs = std::filesystem;
  std::vector<ForeignFile> files;
  for (const fs::path& file : options.files) {
    if (fs::is_directory(file)) refuse_folder(file);
    files.push_back(read_foreign(text_of(file), file.string(), options.reading));
  }
  ForeignFile all = joined(std::move(files), options.foreign.program, options.sizes);
  if (all.program.empty()) all.program = options.files.front().stem().string();
  options.foreign.program = all.program;
  if (!all.values.empty()) settle_names(all.values, &options.foreign);
  const auto renamed = rename_sizes(&all.values, options.foreign.procs_from);
  const fs::path dir =
      options.dir.empty() ? fs::path("apmt-" + options.foreign.program) : options.dir;
  if (fs::exists(dir))
    throw InputError(
        dir.string(), "exists already",
        "imported runs cannot be mixed with others: choose another directory with --dir");
  std::vector<std::string> left_out;
  const std::vector<RunProfile> profiles = profiles_from(all.values, options.foreign, &left_out);
  for (const RunProfile& profile : profiles) {
    const fs::path run = dir / run_name(profile);
    fs::create_directories(run);
    write_run_profile(profile, run / "profile.json");
  }
  for (const std::string& warning : all.warnings) logging::warn("{}", warning);
  if (const std::string unit = other_unit_in(options.foreign.time_metric); !unit.empty())
    logging::warn("the times of '{}' are taken as seconds: if they are in {}, convert them first",
                  options.foreign.time_metric, unit);
  std::vector<std::string> new_names;
  for (const auto& [name, usable] : renamed) new_names.push_back("'" + name + "' is " + usable);
  if (!renamed.empty()) logging::info("problem sizes with other names: {}", listed(new_names));
  if (!left_out.empty())
    logging::warn(
        "{} more values than all call paths have times, and only the common ones are read: e.g. {}",
        counted(left_out.size(), "series has", "series have"), left_out.front());
  logging::info("imported {} into {}", counted(profiles.size(), "run"), dir.string());
  return 0;
}

}  // namespace

void add_import(CommandLine& program) {
  Verb verb = program.add_verb(kImport.name, kImport.help);
  verb.footer(kImportFooter);
  auto options = std::make_shared<ImportArguments>();
  verb.add_option("file", options->files, "Files of Extra-P, Score-P, mpiP, Caliper or TALP")
      .required()
      .check(existing_path());
  verb.add_option("-d,--dir", options->dir, "Experiment directory to make [apmt-<program>]");
  verb.add_option("--program", options->foreign.program, "Name of the program [as in the file]");
  verb.add_option("--procs-from", options->foreign.procs_from,
                  "Parameter that is the number of processes [p, procs, ranks, ...]");
  verb.add_option("--size-from", options->sizes,
                  "Metadata of Caliper's files that are problem sizes: NAME[,NAME...]");
  verb.add_option("--region", options->reading.region,
                  "Region of TALP's files that stands for the run [the whole run]");
  verb.add_option("--unit", options->reading.unit, "Unit of Caliper's times [as the file states]")
      .check(one_of({"s", "ms", "us", "ns"}));
  verb.add_option("--time", options->foreign.time_metric, "Metric in seconds [time]");
  verb.add_flag("--summed", options->foreign.summed, "Values are sums over ranks [means per rank]");
  verb.action([options] { return run_import(*options); });
}

}  // namespace apmt
