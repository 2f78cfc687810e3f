#include "campaign/batch/job_scripts.h"

#include <cstdio>
#include <map>

#include "base/input_error.h"

namespace apmt {
namespace {

std::string quoted(const std::string& word) {
  const bool plain =
      !word.empty() && word.find_first_of(" \t\n'\"\\$`!*?[]{}()<>|&;#~") == std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// One run: a point of the campaign and the number of its repetition.
struct Element {
  const CampaignPoint* point;
  int repetition;
};

class ScriptWriter {
 public:
  ScriptWriter(const CampaignOptions& campaign, const JobOptions& options)
      : campaign_(campaign),
        options_(options),
        dialect_(batch_dialect(options.system)),
        experiment_(campaign_experiment(campaign)),
        name_(experiment_.filename().string()) {}

  std::vector<JobScript> scripts() const {
    std::map<int, std::vector<const CampaignPoint*>> points_of;
    for (const CampaignPoint& point : campaign_.points) points_of[point.procs].push_back(&point);
    std::vector<JobScript> scripts;
    std::string names;
    for (const auto& [procs, points] : points_of) {
      const std::string name = "p" + std::to_string(procs);
      const std::vector<Element> elements = array_of(points);
      const std::string content = elements.empty() ? runs(points) : array(procs, elements);
      scripts.push_back(
          {name + ".sh", head(name, procs, static_cast<int>(elements.size())) + content});
      names += " " + name + ".sh";
    }
    scripts.push_back({"fit.sh", head("fit", 1, 0) + fit()});
    scripts.push_back({"submit.sh", submission(names)});
    return scripts;
  }

 private:
  /// The runs in the order in which apmt run makes them; empty if the job is not to be an array.
  std::vector<Element> array_of(const std::vector<const CampaignPoint*>& points) const {
    std::vector<Element> elements;
    if (!options_.array || points.size() * static_cast<std::size_t>(campaign_.reps) < 2) return {};
    for (int repetition = 1; repetition <= campaign_.reps; ++repetition)
      for (const CampaignPoint* point : points) elements.push_back({point, repetition});
    return elements;
  }

  std::string head(const std::string& job, int ranks, int elements) const {
    const std::string log =
        job + (elements > 0 ? std::string("-") + dialect_.element_tag : "") + ".log";
    std::string text = "#!/bin/bash\n";
    std::vector<std::string> lines = dialect_.name(batch_job_name(job, name_), elements);
    for (const std::vector<std::string>& more :
         {dialect_.output(log), dialect_.ranks(ranks, options_.ranks_per_node),
          options_.directives})
      lines.insert(lines.end(), more.begin(), more.end());
    for (const std::string& line : lines) text += dialect_.prefix + line + "\n";
    // The set-up commands may name files relative to this directory. `set -e` comes after them,
    // because few set-up commands are written for it.
    text += "cd " + quoted(options_.directory.string()) + " || exit 1\n";
    for (const std::string& line : options_.setup) text += line + "\n";
    return text + "set -euo pipefail\napmt=" + quoted(options_.apmt.string()) + "\n";
  }

  /// The commands of a job without an array. They make every point once, then every point a second
  /// time, and so on; last come the runs for --spread. Runs that an earlier job has finished are
  /// skipped.
  std::string runs(const std::vector<const CampaignPoint*>& points) const {
    std::string text = "for reps in $(seq " + std::to_string(campaign_.reps) + "); do\n";
    for (const CampaignPoint* point : points) text += "  " + run(*point, "\"$reps\"", {}) + "\n";
    text += "done\n";
    if (campaign_.spread <= 0) return text;
    char spread[32];
    std::snprintf(spread, sizeof spread, "%.9g", campaign_.spread);
    for (const CampaignPoint* point : points)
      text += run(*point, std::to_string(campaign_.reps),
                  {"--spread", spread, "--max-reps", std::to_string(campaign_.max_reps)}) +
              "\n";
    return text;
  }

  /// The commands of an array, which select the run by the number of the array element.
  std::string array(int procs, const std::vector<Element>& elements) const {
    const auto n = std::to_string(campaign_.reps);
    std::string text = "run() { " + run(procs, n + " --repetition \"$1\" \"${@:2}\"", {}) +
                       "; }\ncase $" + dialect_.element + " in\n";
    int index = 0;
    for (const Element& element : elements) {
      const std::vector<std::string> sizes = size_options(*element.point);
      text += "  " + std::to_string(++index) + ") run " + std::to_string(element.repetition) +
              (sizes.empty() ? "" : " " + shell_words(sizes)) + " ;;\n";
    }
    return text + "  *) echo \"there is no run for element $" + dialect_.element +
           "\" >&2; exit 2 ;;\nesac\n";
  }

  static std::vector<std::string> size_options(const CampaignPoint& point) {
    std::vector<std::string> words;
    for (const auto& [name, size] : point.sizes)
      words.insert(words.end(), {"--set", name + "=" + size.text});
    return words;
  }

  std::string run(const CampaignPoint& point, const std::string& reps,
                  const std::vector<std::string>& further) const {
    std::vector<std::string> words = size_options(point);
    words.insert(words.end(), further.begin(), further.end());
    return run(point.procs, reps, words);
  }

  /// The command line of apmt run. `reps` is inserted as shell code; all other words are quoted
  /// here.
  std::string run(int procs, const std::string& reps,
                  const std::vector<std::string>& further) const {
    std::vector<std::string> words = {"--dir", experiment_.string(), "--procs",
                                      std::to_string(procs)};
    words.insert(words.end(), options_.run_options.begin(), options_.run_options.end());
    words.insert(words.end(), further.begin(), further.end());
    words.push_back("--");
    words.insert(words.end(), campaign_.launch.command.begin(), campaign_.launch.command.end());
    return "\"$apmt\" run --reps " + reps + " " + shell_words(words);
  }

  std::string fit() const {
    std::vector<std::string> words = {experiment_.string()};
    words.insert(words.end(), options_.fit_options.begin(), options_.fit_options.end());
    std::string text = "\"$apmt\" fit " + shell_words(words) + "\n";
    if (options_.predict.empty()) return text;
    std::string counts;
    for (const int count : options_.predict)
      counts += (counts.empty() ? "" : ",") + std::to_string(count);
    return text + "\"$apmt\" predict " + shell_words({experiment_.string(), "--procs", counts}) +
           "\n";
  }

  std::string submission(const std::string& names) const {
    return "#!/bin/bash\n# Submits the runs, and the fit, which starts when all runs have "
           "succeeded.\n"
           "set -euo pipefail\ncd \"$(dirname \"$0\")\"\n" +
           std::string(dialect_.submit) + "\n" + dialect_.after_all + "\nids=()\nfor script in" +
           names +
           "; do ids+=(\"$(submit \"$script\")\"); done\nsubmit_after fit.sh \"${ids[@]}\"\n";
  }

  const CampaignOptions& campaign_;
  const JobOptions& options_;
  const BatchDialect& dialect_;
  std::filesystem::path experiment_;
  std::string name_;
};

void check_directive(const std::string& directive, BatchSystem system) {
  const std::string prefix = batch_dialect(system).prefix;
  const bool is_an_option = directive.size() > 1 && directive.front() == '-';
  if (is_an_option && directive.find('\n') == std::string::npos) return;
  throw InputError("--directive", "'" + directive + "' is not an option of the batch system",
                   directive.starts_with('#')
                       ? "leave out " + prefix + ": --directive=--time=30:00"
                       : "options begin with -: --directive=--time=30:00; a command that the "
                         "scripts are to begin with is for --setup");
}

}  // namespace

std::vector<JobScript> job_scripts(const CampaignOptions& campaign, const JobOptions& options) {
  if (options.array && batch_dialect(options.system).element == nullptr)
    throw InputError("--array", "this batch system has no job arrays",
                     "leave it out: one job then makes all runs at its process count");
  if (options.array && campaign.spread > 0)
    throw InputError(
        "--array",
        "--spread needs the times of all repetitions, and an array element has only its own",
        "leave out one of them");
  for (const std::string& directive : options.directives)
    check_directive(directive, options.system);
  return ScriptWriter(campaign, options).scripts();
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

}  // namespace apmt
