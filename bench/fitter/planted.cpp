#include "bench/fitter/planted.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "bench/fitter/bench.h"
#include "fitter/fit/fit.h"
#include "fitter/numeric/small_least_squares.h"
#include "fitter/runs/spread.h"

namespace apmt::bench {
namespace {

double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11) * 0x1.0p-53;
}

}  // namespace

double log_uniform(std::mt19937_64& random, double low, double high) {
  return std::exp(uniform(random, std::log(low), std::log(high)));
}

double normal(std::mt19937_64& random) {
  const double u = 1 - uniform(random, 0, 1);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * uniform(random, 0, 1));
}

namespace {

int whole(std::mt19937_64& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

PlantedTerm term(const std::string& name, double coefficient) {
  if (name == "1/P") return {name, [](double p) { return 1 / p; }, coefficient};
  if (name == "P^-2/3") return {name, [](double p) { return std::pow(p, -2.0 / 3); }, coefficient};
  if (name == "P^-1/2") return {name, [](double p) { return std::pow(p, -0.5); }, coefficient};
  if (name == "log2 P") return {name, [](double p) { return std::log2(p); }, coefficient};
  if (name == "P^1/2") return {name, [](double p) { return std::sqrt(p); }, coefficient};
  return {"1", [](double) { return 1.0; }, coefficient};
}

constexpr std::array<KernelForm, kKernelForms> kStrong = {
    {{"1/P", ""}, {"1/P", "1"}, {"P^-2/3", ""}, {"1/P", "log2 P"}, {"1/P", "P^-1/2"}}};
constexpr std::array<KernelForm, kKernelForms> kWeak = {
    {{"1", ""}, {"1", "log2 P"}, {"1", ""}, {"1", "log2 P"}, {"1", "P^1/2"}}};

PlantedTime random_kernel(std::mt19937_64& random, bool weak, double seconds, int index) {
  const double share = log_uniform(random, kLeastSideShare, kMostSideShare);
  const KernelForm& form =
      kernel_forms(weak)[static_cast<std::size_t>(whole(random, 0, kKernelForms - 1))];
  return planted_kernel(form, "kernel" + std::to_string(index), seconds, share);
}

/// Adds to each iteration a halo exchange on a square grid and an allreduce. The processes form a
/// grid that is as square as possible, or a chain. In weak scaling, the side of the square grows as
/// sqrt(P).
void add_communication(PlantedProgram* program, std::mt19937_64& random, double compute_s) {
  const double iterations = std::floor(log_uniform(random, 50, 2000));
  program->iterations = iterations;
  const bool two_dimensional = random() % 2 == 0;
  const bool weak = program->weak;
  const auto messages = [=](double p) {
    return iterations *
           (two_dimensional ? 2 * (2 * p - grid_shape(GridShape::kSides2, p)) : 2 * (p - 1));
  };
  const auto bytes = [=](double p) {
    const double side = weak ? std::round(1024 * std::sqrt(p)) : 4096;
    return iterations * 16 * side *
           (two_dimensional ? grid_shape(GridShape::kSides2, p) - 2 : p - 1);
  };
  const auto calls = [=](double p) { return iterations * p; };
  const double share = log_uniform(random, 0.005, 0.2);  // relative to the compute time at P = 8
  const double alpha_part = uniform(random, kLeastLatencyPart, kMostLatencyPart);
  const auto cost = [&](const auto& per_rank, double seconds) { return seconds / per_rank(8.0); };
  const auto per_rank_messages = [=](double p) { return messages(p) / p; };
  const auto per_rank_bytes = [=](double p) { return bytes(p) / p; };
  program->p2p = {
      "p2p",
      {{"messages/P", per_rank_messages, cost(per_rank_messages, alpha_part * share * compute_s)},
       {"bytes/P", per_rank_bytes, cost(per_rank_bytes, (1 - alpha_part) * share * compute_s)}}};
  const auto tree = [=](double p) { return iterations * std::log2(p); };
  program->coll = {
      "coll", {{"calls*log2(P)/P", tree, cost(tree, log_uniform(random, 0.002, 0.1) * compute_s)}}};
  program->counts = {
      {"MPI_Isend", "p2p", messages, bytes},
      {"MPI_Allreduce", "collective", calls, [=](double p) { return 8 * calls(p); }}};
}

std::uint64_t rounded(double x) { return static_cast<std::uint64_t>(std::llround(x)); }

/// Fits the coefficients of `form` to `values`, and evaluates the fit at `target`.
double fitted(const PlantedTime& form, const std::vector<double>& procs,
              const std::vector<double>& values, double target) {
  std::vector<std::vector<double>> columns;
  for (const PlantedTerm& t : form.terms) {
    columns.emplace_back();
    for (std::size_t i = 0; i < procs.size(); ++i)
      columns.back().push_back(t.basis(procs[i]) / values[i]);
  }
  const std::vector<double> c = solve_non_negative(columns, std::vector<double>(values.size(), 1));
  double sum = 0;
  for (std::size_t j = 0; j < c.size(); ++j) sum += c[j] * form.terms[j].basis(target);
  return sum;
}

}  // namespace

const std::array<KernelForm, kKernelForms>& kernel_forms(bool weak) {
  return weak ? kWeak : kStrong;
}

PlantedTime planted_kernel(const KernelForm& form, const std::string& name, double seconds,
                           double side_share) {
  PlantedTime k;
  k.name = name;
  const auto add = [&](const char* basis, double part) {
    PlantedTerm t = term(basis, 1);
    t.coefficient = part * seconds / t.basis(8);
    k.terms.push_back(std::move(t));
  };
  const bool alone = *form.side == '\0';
  add(form.main, alone ? 1 : 1 - side_share);
  if (!alone) add(form.side, side_share);
  return k;
}

double PlantedTime::value(double procs) const {
  double sum = 0;
  for (const PlantedTerm& t : terms) sum += t.coefficient * t.basis(procs);
  return sum;
}

double PlantedProgram::size_at(double p) const { return weak ? 1e6 * p : 1e6; }

double PlantedProgram::total_s(double p) const {
  double sum = p2p.value(p) + coll.value(p) + others.value(p);
  for (const PlantedTime& k : kernels) sum += k.value(p);
  return sum;
}

PlantedProgram random_program(std::mt19937_64& random, const PlantedOptions& options) {
  PlantedProgram program;
  program.weak = options.weak;
  const int kernels = whole(random, 2, 5);
  double compute_s = 0;
  for (int i = 0; i < kernels; ++i) {
    const double seconds = log_uniform(random, 1, 30);
    program.kernels.push_back(random_kernel(random, options.weak, seconds, i));
    compute_s += seconds;
  }
  add_communication(&program, random, compute_s);
  program.others = {"others", {term("1", log_uniform(random, 0.0005, 0.01) * compute_s)}};
  const int points = whole(random, 3, 6);
  const int first = 1 << whole(random, 1, 2);
  for (int i = 0; i < points; ++i) program.procs.push_back(first << i);
  program.repetitions = whole(random, 1, 5);
  return program;
}

RunProfile run(const PlantedProgram& program, int procs, int repetition,
               const PlantedOptions& options, std::mt19937_64& random) {
  const auto noisy = [&](double s) { return s * std::exp(options.noise * normal(random)); };
  RunProfile p;
  p.program = "planted";
  p.config.procs = procs;
  p.config.params = {{"n", program.size_at(procs)}};
  p.config.repetition = repetition;
  p.config.nodes = 2;
  p.config.max_ranks_per_node = procs;
  const std::size_t n = static_cast<std::size_t>(procs);
  double comp_s = 0;
  for (const PlantedTime& time : program.kernels) {
    KernelProfile k;
    k.id = {"planted", time.name, "planted.cpp"};
    k.name = time.name;
    Counter& c = k.counters["cpu_s"];
    c.unit_per_sample = options.sample_s;
    c.samples.assign(n, rounded(noisy(time.value(procs)) / options.sample_s));
    comp_s += c.total() / procs;
    if (options.with_counters) {
      // Cycles per instruction and frequency are constant, so instructions are proportional to
      // time.
      Counter& i = k.counters["instructions"];
      i.provenance = Provenance::kHardware;
      i.unit_per_sample = 1;
      i.samples.assign(n, rounded(2e9 * time.value(procs)));
    }
    p.kernels.push_back(std::move(k));
  }
  const double p2p_s = noisy(program.p2p.value(procs));
  const double coll_s = noisy(program.coll.value(procs));
  const double others_s = noisy(program.others.value(procs));
  RankTimes& t = p.times;
  t.main_s.per_rank.assign(n, comp_s + p2p_s + coll_s);
  t.mpi_s.per_rank.assign(n, p2p_s + coll_s);
  t.mpi_p2p_s.per_rank.assign(n, p2p_s);
  t.mpi_coll_s.per_rank.assign(n, coll_s);
  t.mpi_other_s.per_rank.assign(n, 0);
  t.init_s.per_rank.assign(n, others_s);
  t.finalize_s.per_rank.assign(n, 0);
  t.wall_s.per_rank.assign(n, comp_s + p2p_s + coll_s + others_s);
  t.main_cpu_s.per_rank = t.main_s.per_rank;
  t.sampled_cpu_s.per_rank.assign(n, comp_s);
  p.sampling = {"task-clock", "planted", options.sample_s, 0, 0};
  for (const PlantedCounts& c : program.counts)
    p.mpi.push_back({c.op, c.op_class, procs, 0, "none", "", rounded(c.calls(procs)),
                     rounded(c.bytes(procs)), 0, 0, 0, 0, 0});
  p.health.ranks_expected = p.health.ranks_present = procs;
  if (options.with_parts) return p;
  // Only the total is known: one block of computation as long as the run.
  p.grade = Grade::kD;
  p.kernels.clear();
  p.mpi.clear();
  for (Column RankTimes::*column :
       {&RankTimes::mpi_s, &RankTimes::mpi_p2p_s, &RankTimes::mpi_coll_s, &RankTimes::init_s})
    (t.*column).per_rank.assign(n, 0);
  t.main_s = t.wall_s;
  return p;
}

std::vector<RunProfile> runs_at(const PlantedProgram& program, int procs,
                                const PlantedOptions& options, std::mt19937_64& random) {
  std::vector<RunProfile> runs;
  for (int r = 1; r <= program.repetitions; ++r)
    runs.push_back(run(program, procs, r, options, random));
  return runs;
}

std::vector<RunProfile> profiled_runs(const PlantedProgram& program, const PlantedOptions& options,
                                      std::mt19937_64& random) {
  std::vector<RunProfile> runs;
  for (const int procs : program.procs)
    for (RunProfile& r : runs_at(program, procs, options, random)) runs.push_back(std::move(r));
  return runs;
}

Trial random_trial(std::mt19937_64& random, const PlantedOptions& options) {
  Trial trial{.program = random_program(random, options), .runs = {}, .model = {}};
  trial.runs = profiled_runs(trial.program, options, random);
  trial.model = fit(make_experiment(trial.runs), bench_fit_options());
  return trial;
}

double elapsed_s(const RunProfile& run) { return run.times.wall_s.max(); }

double median_of(const std::vector<RunProfile>& runs, const Seconds& seconds) {
  std::vector<double> values;
  for (const RunProfile& r : runs) values.push_back(seconds(r));
  return median(std::move(values));
}

std::vector<PlantedPart> parts_of(const PlantedProgram& program) {
  std::vector<PlantedPart> parts;
  for (const PlantedTime& kernel : program.kernels)
    parts.push_back({&kernel, [name = kernel.name](const RunProfile& r) {
                       for (const KernelProfile& k : r.kernels)
                         if (k.name == name) return k.counters.at("cpu_s").total() / r.config.procs;
                       return 0.0;
                     }});
  parts.push_back({&program.p2p, [](const RunProfile& r) { return r.times.mpi_p2p_s.mean(); }});
  parts.push_back({&program.coll, [](const RunProfile& r) { return r.times.mpi_coll_s.mean(); }});
  parts.push_back({&program.others, [](const RunProfile& r) { return r.times.init_s.mean(); }});
  return parts;
}

double oracle_s(const PlantedProgram& program, const std::vector<RunProfile>& runs, double target) {
  std::map<int, std::vector<RunProfile>> by_procs;
  for (const RunProfile& r : runs) by_procs[r.config.procs].push_back(r);
  std::vector<double> procs;
  for (const auto& [p, list] : by_procs) procs.push_back(p);
  double sum = 0;
  for (const PlantedPart& part : parts_of(program)) {
    std::vector<double> medians;
    for (const auto& [p, list] : by_procs) medians.push_back(median_of(list, part.measured));
    sum += fitted(*part.truth, procs, medians, target);
  }
  return sum;
}

}  // namespace apmt::bench
