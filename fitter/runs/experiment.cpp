#include "fitter/runs/experiment.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/input_error.h"
#include "base/square.h"
#include "fitter/runs/run_checks.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"
#include "profile/profile_files.h"

namespace apmt {
namespace {

constexpr double kSameFrequency = 1.05;  // largest ratio of two measurements of one frequency

bool has_simulated_counters(const RunProfile& run) {
  for (const KernelProfile& k : run.kernels)
    for (const auto& [metric, counter] : k.counters)
      if (counter.provenance == Provenance::kSimulated) return true;
  return false;
}

constexpr std::pair<std::optional<Measured> MeasuredParts::*, std::optional<double> RunParts::*>
    kPartsOfRuns[] = {{&MeasuredParts::comp_s, &RunParts::comp_s},
                      {&MeasuredParts::comm_p2p_s, &RunParts::comm_p2p_s},
                      {&MeasuredParts::comm_coll_s, &RunParts::comm_coll_s},
                      {&MeasuredParts::comm_wait_s, &RunParts::comm_wait_s},
                      {&MeasuredParts::comm_other_s, &RunParts::comm_other_s},
                      {&MeasuredParts::off_cpu_s, &RunParts::off_cpu_s},
                      {&MeasuredParts::start_s, &RunParts::start_s},
                      {&MeasuredParts::end_s, &RunParts::end_s}};

/// Medians over the runs. A part is absent unless every run has it.
MeasuredParts measured_parts(const std::vector<RunParts>& runs, const Measured& elapsed) {
  MeasuredParts m;
  double sum = 0;
  bool is_complete = true;
  for (const auto& [part, of_run] : kPartsOfRuns) {
    std::vector<double> values;
    for (const RunParts& run : runs)
      if (run.*of_run) values.push_back(*(run.*of_run));
    if (values.size() == runs.size()) m.*part = measured(values);
    if (m.*part)
      sum += (m.*part)->value;
    else
      is_complete = false;
  }
  double samples = 0;
  for (const RunParts& run : runs) samples += run.samples / static_cast<double>(runs.size());
  if (m.comp_s && samples > 0) m.comp_s->rel_sampling = 1 / std::sqrt(samples);
  if (is_complete) m.closure_s = elapsed.value - sum;
  return m;
}

ExperimentPoint make_point(const std::vector<RunProfile>& runs, const MessageCosts& costs,
                           std::vector<std::size_t> indices) {
  ExperimentPoint point;
  point.procs = runs[indices.front()].config.procs;
  point.params = runs[indices.front()].config.params;
  for (const std::size_t i : indices) {
    const RunConfig& c = runs[i].config;
    point.threads_per_rank = std::max(point.threads_per_rank, c.threads_per_rank);
    point.nodes = std::max(point.nodes, c.nodes);
    point.max_ranks_per_node = std::max(point.max_ranks_per_node, c.max_ranks_per_node);
    point.oversubscribed = point.oversubscribed || c.oversubscribed;
  }
  std::vector<RunParts> parts;
  std::vector<double> elapsed;
  std::vector<double> balance;
  for (const std::size_t i : indices) {
    parts.push_back(parts_of(runs[i], point.oversubscribed, costs));
    elapsed.push_back(runs[i].times.wall_s.max());
    if (parts.back().load_balance) balance.push_back(*parts.back().load_balance);
  }
  point.elapsed_s = measured(elapsed);
  point.parts = measured_parts(parts, point.elapsed_s);
  if (!balance.empty()) point.load_balance = median(balance);
  point.runs = std::move(indices);
  return point;
}

Scaling scaling_of(const std::vector<ExperimentPoint>& points) {
  std::set<int> procs;
  std::set<std::map<std::string, double>> sizes;
  std::set<std::pair<int, std::map<std::string, double>>> both;
  for (const ExperimentPoint& p : points) {
    procs.insert(p.procs);
    sizes.insert(p.params);
    both.insert({p.procs, p.params});
  }
  if (procs.size() < 2) return Scaling::kSinglePoint;
  if (sizes.size() == 1) return Scaling::kStrong;
  // Each process count has its own size and each size its own process count, so the sizes are taken
  // to grow with P.
  if (procs.size() == both.size() && sizes.size() == both.size()) return Scaling::kWeak;
  return Scaling::kMixed;
}

/// P, sizes and where the processes of the run are. Runs with different layouts have different
/// times at the same process count.
auto place_of(const RunConfig& c) {
  return std::tuple(c.procs, c.params, c.nodes, most_on_a_node(c), c.threads_per_rank);
}

/// As measured; absent: not known.
std::optional<double> frequency_hz(const RunConfig& c) {
  return c.frequency_hz.value_or(0) > 0 ? c.frequency_hz : std::nullopt;
}

/// Sorts the runs and groups the repetitions: runs with the same P, sizes and layout, whatever
/// repetition numbers they state. An unknown frequency is like every other.
std::vector<std::vector<std::size_t>> repetitions(std::vector<RunProfile>* runs) {
  std::ranges::stable_sort(*runs, {}, [](const RunProfile& run) {
    return std::pair(place_of(run.config), frequency_hz(run.config));
  });
  std::vector<std::vector<std::size_t>> points;
  std::optional<double> lowest_hz;  // of the point
  for (std::size_t i = 0; i < runs->size(); ++i) {
    const RunConfig& c = (*runs)[i].config;
    const std::optional<double> hz = frequency_hz(c);
    const bool is_new = i == 0 || place_of((*runs)[i - 1].config) != place_of(c) ||
                        (lowest_hz && hz > kSameFrequency * *lowest_hz);
    if (is_new) points.emplace_back();
    if (is_new || !lowest_hz) lowest_hz = hz;
    points.back().push_back(i);
  }
  for (const std::vector<std::size_t>& point : points)
    std::ranges::stable_sort(
        std::span(*runs).subspan(point.front(), point.size()), {},
        [](const RunProfile& run) { return std::tie(run.config.repetition, run.started_at); });
  return points;
}

/// "cg.B" for cg.B.16: the name without the process count and its separator. Empty when the count
/// is not a separate number in the name, or is the whole name.
std::string without_count(const std::string& name, int procs) {
  const std::string count = std::to_string(procs);
  const auto is_digit = [&](std::size_t i) {
    return i < name.size() && name[i] >= '0' && name[i] <= '9';
  };
  for (std::size_t at = name.rfind(count); at != std::string::npos;
       at = at == 0 ? std::string::npos : name.rfind(count, at - 1)) {
    const std::size_t end = at + count.size();
    if (is_digit(end) || (at > 0 && is_digit(at - 1))) continue;
    const bool is_set_off = at > 0 && std::string(".-_").find(name[at - 1]) != std::string::npos;
    return name.substr(0, is_set_off ? at - 1 : at) + name.substr(end);
  }
  return {};
}

/// If the names of the executables differ only by the process count (cg.B.4, cg.B.16): the name
/// without it (cg.B). Empty if all names are equal, or if they differ in another way.
std::string common_name(const std::vector<RunProfile>& runs) {
  std::set<std::string> names, without;
  for (const RunProfile& run : runs) {
    names.insert(run.program);
    without.insert(without_count(run.program, run.config.procs));
  }
  return names.size() > 1 && without.size() == 1 ? *without.begin() : std::string();
}

}  // namespace

std::optional<double> MeasuredParts::one_sample_s() const {
  // The relative error of n samples is e = 1 / sqrt(n), so one sample stands for
  // time / n = time * e^2.
  if (!comp_s || !(comp_s->rel_sampling > 0)) return std::nullopt;
  return comp_s->value * square(comp_s->rel_sampling);
}

std::vector<int> Experiment::process_counts() const {
  std::set<int> counts;
  for (const ExperimentPoint& p : points) counts.insert(p.procs);
  return {counts.begin(), counts.end()};
}

int most_on_a_node(const RunConfig& c) {
  return std::int64_t{c.nodes} * c.max_ranks_per_node >= c.procs ? c.max_ranks_per_node : 0;
}

void give_name(const std::string& name, RunProfile* run) {
  for (KernelProfile& kernel : run->kernels)
    if (kernel.id.object == run->program) kernel.id.object = name;
  run->program = name;
}

Experiment make_experiment(std::vector<RunProfile> runs, ExperimentOptions options) {
  if (runs.empty())
    throw InputError("", "there is no run to join",
                     "record the program at three process counts: apmt record mpirun -np 4 ./app",
                     ExitCode::kNotEnoughData);
  std::vector<std::vector<std::size_t>> points = repetitions(&runs);
  std::string name = common_name(runs);
  if (!name.empty()) options.same_program = true;
  if (name.empty()) name = runs.front().program;
  if (options.same_program)
    for (RunProfile& run : runs) give_name(name, &run);
  Experiment e;
  e.program = runs.front().program;
  for (const RunProfile& run : runs) {
    e.is_virtual = e.is_virtual || run.config.is_virtual;
    if (run.program != e.program)
      throw InputError(
          "", "the runs are of different programs ('" + e.program + "' and '" + run.program + "')",
          "keep each program's runs in a folder of their own, or, when they are builds of one "
          "program, add --same-program");
  }
  const MessageCosts costs(runs);
  for (std::vector<std::size_t>& indices : points)
    e.points.push_back(make_point(runs, costs, std::move(indices)));
  e.runs = std::move(runs);
  grade_points(&e);
  e.scaling = scaling_of(e.points);
  e.warnings = comparability_warnings(e, options);
  return e;
}

void grade_points(Experiment* experiment) {
  experiment->grade = Grade::kA;
  for (ExperimentPoint& point : experiment->points) {
    point.grade = Grade::kA;
    point.simulated_runs = 0;
    for (const std::size_t i : point.runs) {
      point.grade = std::max(point.grade, experiment->runs[i].grade);
      point.simulated_runs += has_simulated_counters(experiment->runs[i]);
    }
    // Counts are the same in every repetition, so simulated counters of one repetition raise the
    // grade of the others.
    if (point.simulated_runs > 0 && point.grade == Grade::kC) point.grade = Grade::kB;
    experiment->grade = std::max(experiment->grade, point.grade);
  }
}

Experiment read_experiment(const std::filesystem::path& dir, const ExperimentOptions& options) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(dir))
    throw InputError(dir.string(), "no such directory", "give the directory that holds the runs");
  const std::vector<fs::path> files = profiles_in(dir);
  if (files.empty())
    throw InputError(
        dir.string(), "no run in this directory (expected folders with a profile.json)",
        "record the program first: apmt record mpirun -np 4 ./app", ExitCode::kNotEnoughData);
  std::vector<RunProfile> runs;
  std::vector<AnalysedSize> analyses;
  for (const fs::path& file : files) {
    runs.push_back(read_run_profile(file));
    if (const fs::path analysis = file.parent_path() / "analysis.json"; fs::exists(analysis))
      analyses.push_back(
          {runs.back().config.procs, runs.back().config.params, kernels::read_analysis(analysis)});
  }
  const std::vector<std::string> left_out = leave_out_cut_off(&runs);
  Experiment experiment = make_experiment(std::move(runs), options);
  experiment.warnings.insert(experiment.warnings.begin(), left_out.begin(), left_out.end());
  experiment.analyses = std::move(analyses);
  return experiment;
}

}  // namespace apmt
