#include "campaign/job_scripts.h"

#include <algorithm>
#include <cctype>
#include <map>

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

/// What differs between batch systems: how a script says what it needs, and how it is submitted.
struct Dialect {
  const char* prefix;                              // of a directive
  std::string (*name)(const std::string& job);     // directive for a job's name
  std::string (*output)(const std::string& file);  // and for the file of its output
  std::vector<std::string> (*ranks)(int ranks, int per_node);
  const char* submit;     // shell function: prints the id of a script's job
  const char* after_all;  // shell function: submits a script that waits for the jobs $2...
};

/// What every batch system takes for a job's name: some end it at 15 characters, some want a letter
/// first, and none a blank or a quote.
std::string job_name(const std::string& job, const std::string& experiment) {
  constexpr std::size_t kMostCharacters = 15;
  std::string name = job + "-" + experiment;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.')
      c = '_';
  return name.substr(0, kMostCharacters);
}

std::string number(int value) { return std::to_string(value); }
int nodes(int ranks, int per_node) { return (ranks + per_node - 1) / per_node; }

// sbatch(1).
const Dialect kSlurm{
    "#SBATCH ",
    [](const std::string& job) { return "--job-name=" + job; },
    [](const std::string& file) { return "--output=" + file; },
    [](int ranks, int per_node) {
      std::vector<std::string> lines = {"--ntasks=" + number(ranks)};
      if (per_node > 0) lines.push_back("--ntasks-per-node=" + number(std::min(ranks, per_node)));
      return lines;
    },
    "submit() { sbatch --parsable \"$1\" | cut -d';' -f1; }",
    "submit_after() { local script=$1; shift; local IFS=:; sbatch --dependency=afterok:\"$*\" "
    "\"$script\"; }"};

// qsub(1B) of PBS Professional and OpenPBS.
const Dialect kPbs{
    "#PBS ",
    [](const std::string& job) { return "-N " + job; },
    [](const std::string& file) { return "-j oe\n#PBS -o " + file; },
    [](int ranks, int per_node) {
      const int each = per_node > 0 ? std::min(ranks, per_node) : 1;
      std::string select = "-l select=" + number(ranks / each) + ":ncpus=" + number(each) +
                           ":mpiprocs=" + number(each);
      if (const int rest = ranks % each; rest > 0)
        select += "+1:ncpus=" + number(rest) + ":mpiprocs=" + number(rest);
      std::vector<std::string> lines = {select};
      if (per_node > 0) lines.push_back("-l place=scatter");  // else a node may get several chunks
      return lines;
    },
    "submit() { qsub \"$1\"; }",
    "submit_after() { local script=$1; shift; local IFS=:; qsub -W depend=afterok:\"$*\" "
    "\"$script\"; }"};

// bsub(1).
const Dialect kLsf{
    "#BSUB ",
    [](const std::string& job) { return "-J " + job; },
    [](const std::string& file) { return "-o " + file; },
    [](int ranks, int per_node) {
      std::vector<std::string> lines = {"-n " + number(ranks)};
      if (per_node > 0)
        lines.push_back("-R \"span[ptile=" + number(std::min(ranks, per_node)) + "]\"");
      return lines;
    },
    "submit() { bsub <\"$1\" | sed -n 's/^Job <\\([0-9]*\\)>.*/\\1/p'; }",
    "submit_after() { local script=$1 condition='' id; shift\n"
    "  for id in \"$@\"; do condition+=\"${condition:+ && }done($id)\"; done\n"
    "  bsub -w \"$condition\" <\"$script\"; }"};

// flux-batch(1), flux-submit(1).
const Dialect kFlux{"#flux: ",
                    [](const std::string& job) { return "--job-name=" + job; },
                    [](const std::string& file) { return "--output=" + file; },
                    [](int ranks, int per_node) {
                      std::vector<std::string> lines = {"--nslots=" + number(ranks)};
                      if (per_node > 0)
                        lines.push_back("--nodes=" + number(nodes(ranks, per_node)));
                      return lines;
                    },
                    "submit() { flux batch \"$1\"; }",
                    "submit_after() { local script=$1 dependencies=() id; shift\n"
                    "  for id in \"$@\"; do dependencies+=(\"--dependency=afterok:$id\"); done\n"
                    "  flux batch \"${dependencies[@]}\" \"$script\"; }"};

const Dialect& dialect(BatchSystem system) {
  switch (system) {
    case BatchSystem::kSlurm:
      return kSlurm;
    case BatchSystem::kPbs:
      return kPbs;
    case BatchSystem::kLsf:
      return kLsf;
    case BatchSystem::kFlux:
      break;
  }
  return kFlux;
}

class Writer {
 public:
  Writer(const CampaignOptions& campaign, const JobOptions& options)
      : campaign_(campaign),
        options_(options),
        dialect_(dialect(options.system)),
        experiment_(campaign_experiment(campaign)),
        name_(experiment_.filename().string()) {}

  std::vector<JobScript> scripts() const {
    std::map<int, std::vector<const CampaignPoint*>> points_of;
    for (const CampaignPoint& point : campaign_.points) points_of[point.procs].push_back(&point);
    std::vector<JobScript> scripts;
    std::string names;
    for (const auto& [procs, points] : points_of) {
      const std::string name = "p" + number(procs);
      scripts.push_back({name + ".sh", head(name, procs) + runs(points)});
      names += " " + name + ".sh";
    }
    scripts.push_back({"fit.sh", head("fit", 1) + fit()});
    scripts.push_back({"submit.sh", submission(names)});
    return scripts;
  }

 private:
  std::string head(const std::string& job, int ranks) const {
    std::string text = "#!/bin/bash\n";
    std::vector<std::string> lines = {dialect_.name(job_name(job, name_)),
                                      dialect_.output(job + ".log")};
    for (std::string& line : dialect_.ranks(ranks, options_.ranks_per_node))
      lines.push_back(std::move(line));
    lines.insert(lines.end(), options_.directives.begin(), options_.directives.end());
    for (const std::string& line : lines) text += dialect_.prefix + line + "\n";
    return text + "set -euo pipefail\ncd " + quoted(options_.directory.string()) +
           "\napmt=" + quoted(options_.apmt.string()) + "\n";
  }

  /// Every point once, then every point again; what an earlier job finished is not made again.
  std::string runs(const std::vector<const CampaignPoint*>& points) const {
    std::string text = "for reps in $(seq " + number(campaign_.reps) + "); do\n";
    for (const CampaignPoint* point : points) text += "  " + run(*point, "\"$reps\"", {}) + "\n";
    text += "done\n";
    if (campaign_.spread <= 0) return text;
    char spread[32];
    std::snprintf(spread, sizeof spread, "%.9g", campaign_.spread);
    for (const CampaignPoint* point : points)
      text += run(*point, number(campaign_.reps),
                  {"--spread", spread, "--max-reps", number(campaign_.max_reps)}) +
              "\n";
    return text;
  }

  std::string run(const CampaignPoint& point, const std::string& reps,
                  const std::vector<std::string>& further) const {
    std::vector<std::string> words = {"--dir", experiment_.string(), "--procs",
                                      number(point.procs)};
    for (const auto& [name, size] : point.sizes)
      words.insert(words.end(), {"--set", name + "=" + size.text});
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
    for (const int count : options_.predict) counts += (counts.empty() ? "" : ",") + number(count);
    return text + "\"$apmt\" predict " + shell_words({experiment_.string(), "--procs", counts}) +
           "\n";
  }

  std::string submission(const std::string& names) const {
    return "#!/bin/bash\n# Submits the runs, and the fit for when all of them have ended well.\n"
           "set -euo pipefail\ncd \"$(dirname \"$0\")\"\n" +
           std::string(dialect_.submit) + "\n" + dialect_.after_all + "\nids=()\nfor script in" +
           names +
           "; do ids+=(\"$(submit \"$script\")\"); done\nsubmit_after fit.sh \"${ids[@]}\"\n";
  }

  const CampaignOptions& campaign_;
  const JobOptions& options_;
  const Dialect& dialect_;
  std::filesystem::path experiment_;
  std::string name_;
};

}  // namespace

std::vector<JobScript> job_scripts(const CampaignOptions& campaign, const JobOptions& options) {
  return Writer(campaign, options).scripts();
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

}  // namespace apmt
