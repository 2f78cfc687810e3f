// Measures the CPU time of a fit (1,000 kernels, each with 12 counters, 5 process counts and 5
// repetitions), and of a prediction from the model.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <tuple>

#include "base/temporary_folder.h"
#include "bench/fitter/bench.h"
#include "fitter/fit/fit.h"
#include "fitter/laws/count_fit.h"
#include "fitter/prediction/prediction.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"
#include "foreign/export.h"

namespace apmt::bench {
namespace {

/// A clock of CPU time, so that other work on the machine does not count.
struct Clock {
  using time_point = std::clock_t;
  static time_point now() { return std::clock(); }
};
double seconds(Clock::time_point from) {
  return static_cast<double>(Clock::now() - from) / CLOCKS_PER_SEC;
}

constexpr int kKernels = 1000;
constexpr std::size_t kCounters = 12;
constexpr int kRepetitions = 5;
constexpr int kProcs[] = {2, 4, 8, 16, 32};

/// Every tenth kernel makes the same calls: it sends messages and takes part in reductions.
void add_calls(RunProfile* p, double p2p_s, double coll_s) {
  const double procs = p->config.procs;
  constexpr int kCallers = kKernels / 10;
  constexpr double kCallsEach = 1e4;
  for (int k = 0; k < kCallers; ++k)
    for (const auto& [op, op_class, bytes, time_s] :
         {std::tuple("MPI_Isend", "p2p", 1e5 / std::sqrt(procs), p2p_s),
          {"MPI_Allreduce", "collective", 8.0, coll_s}}) {
      MpiRow row;
      row.op = op;
      row.op_class = op_class;
      row.comm_size = p->config.procs;
      row.caller = p->kernels[static_cast<std::size_t>(10 * k)].name;
      row.calls = static_cast<std::uint64_t>(kCallsEach * procs);
      row.bytes_sent = static_cast<std::uint64_t>(kCallsEach * procs * bytes);
      row.time_s = time_s * procs / kCallers;
      p->mpi.push_back(std::move(row));
    }
}

/// The counters of a kernel: its time, and others. With kMemory, they divide its time into
/// computation and memory.
using Counters = std::vector<std::string>;
const Counters kTimeOnly = {kCpuMetric};
const Counters kMemory = {kCpuMetric, "instructions", "acc_mm", "acc_mm_demand", "hit_LLC"};

Counters many_counters() {
  Counters all = kTimeOnly;
  while (all.size() < kCounters) all.push_back("counter" + std::to_string(all.size()));
  return all;
}

std::vector<RunProfile> many_kernels(std::mt19937_64& random, const Counters& counters) {
  const auto noise = [&] {
    return 1 + 0.02 * (static_cast<double>(random() >> 11) * 0x1.0p-53 - 0.5);
  };
  std::vector<RunProfile> runs;
  for (const int procs : kProcs)
    for (int r = 1; r <= kRepetitions; ++r) {
      RunProfile p;
      p.program = "many";
      p.config.procs = procs;
      p.config.repetition = r;
      const std::size_t n = static_cast<std::size_t>(procs);
      for (int k = 0; k < kKernels; ++k) {
        KernelProfile kernel;
        kernel.id = {"many", "f" + std::to_string(k), "many.cpp"};
        kernel.name = kernel.id.linkage_name;
        for (const std::string& name : counters) {
          Counter& counter = kernel.counters[name];
          counter.unit_per_sample = name == kCpuMetric ? 0.001 : 1e5;
          const double size = 1e6 / (1 + k) / procs * (k % 7 == 0 ? std::sqrt(procs) : 1);
          counter.samples.assign(n, static_cast<std::uint64_t>(size * noise()) + 1);
        }
        p.kernels.push_back(std::move(kernel));
      }
      const double p2p_s = 200 * noise() / std::sqrt(procs);
      const double coll_s = 5 * noise() * std::log2(procs);
      for (const auto& [column, time_s] :
           {std::pair(&RankTimes::wall_s, 10000.0 / procs + p2p_s + coll_s),
            {&RankTimes::main_s, 10000.0 / procs + p2p_s + coll_s},
            {&RankTimes::main_cpu_s, 10000.0 / procs + p2p_s + coll_s},
            {&RankTimes::mpi_s, p2p_s + coll_s},
            {&RankTimes::mpi_p2p_s, p2p_s},
            {&RankTimes::mpi_coll_s, coll_s},
            {&RankTimes::mpi_other_s, 0.0},
            {&RankTimes::init_s, 0.0},
            {&RankTimes::finalize_s, 0.0},
            {&RankTimes::sampled_cpu_s, 0.0}})
        (p.times.*column).per_rank.assign(n, time_s);
      add_calls(&p, p2p_s, coll_s);
      p.health.ranks_expected = p.health.ranks_present = procs;
      runs.push_back(std::move(p));
    }
  return runs;
}

/// A model with a law for every kernel, however small its share of the time.
struct OfAllKernels {
  std::size_t laws = 0;
  double fit_s = 0;
  double file_bytes = 0;
  double ready_s = 0;
  double prediction_s = 0;
  double predicted_s = 0;

  OfAllKernels(const Experiment& experiment, FitOptions options) {
    options.threshold = 1e-9;
    Clock::time_point start = Clock::now();
    const Model model = fit(experiment, options);
    fit_s = seconds(start);
    laws = model.kernels.size();
    const TemporaryFolder folder;
    write_model(model, folder.path() / "model.json");
    file_bytes = static_cast<double>(std::filesystem::file_size(folder.path() / "model.json"));
    start = Clock::now();
    const Predictor predictor(model);
    ready_s = seconds(start);
    start = Clock::now();
    predicted_s = predictor.predict({.procs = 512, .params = {}, .scaling = {}}).time.time_s;
    prediction_s = seconds(start);
  }

  void print(const char* of) const {
    std::printf("| such a fit with %zu laws of time, %s | %.2f s |\n", laws, of, fit_s);
    std::printf("| the same: model.json | %.1f MB |\n", file_bytes / 1e6);
    std::printf("| the same: model made ready for predictions | %.0f ms |\n", 1000 * ready_s);
    std::printf("| the same: one prediction | %.0f ms |\n", 1000 * prediction_s);
  }
};

}  // namespace

void speed(const std::string& peers_input) {
  std::mt19937_64 random(1);
  const Experiment experiment = make_experiment(many_kernels(random, many_counters()));
  const FitOptions options = bench_fit_options();
  const LawCatalog catalog = read_law_catalog(options.configs);
  if (!peers_input.empty()) {
    std::vector<std::string> left_out;
    std::ofstream(peers_input) << to_extrap_text(values_of(experiment, ExportOf::kParts),
                                                 &left_out);
  }

  // A law for every counter of every kernel.
  Clock::time_point start = Clock::now();
  std::size_t laws = 0;
  for (int k = 0; k < kKernels; ++k)
    for (const auto& [metric, first] :
         experiment.runs[0].kernels[static_cast<std::size_t>(k)].counters) {
      std::vector<FitPoint> points;
      for (const ExperimentPoint& at : experiment.points) {
        std::vector<double> values;
        for (const std::size_t r : at.runs)
          values.push_back(
              experiment.runs[r].kernels[static_cast<std::size_t>(k)].counters.at(metric).total());
        points.push_back(fit_point(at.procs, 1, measured(values)));
      }
      laws += !fit_count(points, catalog, CountKind::kReal).hypotheses.empty();
    }
  const double counts_s = seconds(start);

  start = Clock::now();
  const Model model = fit(experiment, options);
  const double fit_s = seconds(start);
  const Json saved = to_json(model);
  start = Clock::now();
  const Model loaded = model_from_json(saved, "memory");
  const Prediction prediction = predict(loaded, {.procs = 512, .params = {}, .scaling = {}});
  const double predict_s = seconds(start);

  const OfAllKernels all(experiment, options);
  const OfAllKernels timed(make_experiment(many_kernels(random, kTimeOnly)), options);
  const OfAllKernels counted(make_experiment(many_kernels(random, kMemory)), options);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("| what | figure |\n|---|---|\n");
  std::printf(
      "| laws of %zu counters (%d kernels x %zu, %zu process counts x %d), one core | %.2f s |\n",
      laws, kKernels, kCounters, std::size(kProcs), kRepetitions, counts_s);
  std::printf("| the same, a law | %.2f ms |\n", 1000 * counts_s / static_cast<double>(laws));
  std::printf("| fit with kernel selection, times and back-test (%zu laws of time) | %.2f s |\n",
              model.kernels.size(), fit_s);
  std::printf("| prediction from the saved model | %.0f ms |\n", 1000 * predict_s);
  timed.print("without counters");
  all.print("with 11 counters each");
  counted.print("with instructions and accesses to memory");
  std::printf("| largest memory, the experiment included | %ld MB |\n", usage.ru_maxrss / 1024);
  std::printf("| (predicted times) | %.3g s, %.3g s, %.3g s |\n", prediction.time.time_s,
              all.predicted_s, counted.predicted_s);
}

}  // namespace apmt::bench
