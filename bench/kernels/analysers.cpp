// Measures the cost of each analyser of kernels per word of the event stream; a word is an entered
// block or an address.
#include <benchmark/benchmark.h>

#include "kernels/analysers/all.h"
#include "kernels/analysis.h"
#include "tests/unit/kernels/small_kernels.h"

namespace apmt::kernels {
namespace {

using testing::SmallKernel;

struct Stream {
  SmallKernel kernel;
  std::vector<Word> words;
};

Stream stream_of(SmallKernel kernel) {
  testing::Interpreter run(kernel.code);
  run.keeps_steps = false;
  kernel.fill(run);
  run.run(0);
  return {std::move(kernel), std::move(run.words)};
}

void analyse(benchmark::State& state, const Stream& stream, const AnalyserChoice& choice) {
  for (auto _ : state) {
    const auto analyser = std::move(make_analysers(choice)[0]);
    analyser->begin(stream.kernel.code.program);
    analyser->consume(0, stream.words);
    Analysis analysis;
    analyser->finish(&analysis);
    benchmark::DoNotOptimize(analysis.kernels.data());
  }
  state.counters["ns_per_word"] = benchmark::Counter(
      static_cast<double>(stream.words.size()) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

constexpr AnalyserChoice kNone = {.mix = false,
                                  .floating_point = false,
                                  .all_operations = false,
                                  .synchronisation = false,
                                  .aiwc = false,
                                  .footprint = false,
                                  .stack_distance = false,
                                  .sampled_stack_distance = false};

AnalyserChoice only(bool AnalyserChoice::* which) {
  AnalyserChoice choice = kNone;
  choice.*which = true;
  return choice;
}

}  // namespace
}  // namespace apmt::kernels

int main(int argc, char** argv) {
  using namespace apmt::kernels;
  static const std::vector<Stream> streams = [] {
    std::vector<Stream> made;
    made.push_back(stream_of(testing::triad(100000)));
    made.push_back(stream_of(testing::matmul_ijk(64)));
    made.push_back(stream_of(testing::spmv(40000)));
    made.push_back(stream_of(testing::lu(96)));
    return made;
  }();
  const std::vector<std::pair<std::string, bool AnalyserChoice::*>> analysers = {
      {"instruction mix", &AnalyserChoice::mix},
      {"ASAP, floating point", &AnalyserChoice::floating_point},
      {"ASAP, all operations", &AnalyserChoice::all_operations},
      {"synchronisation", &AnalyserChoice::synchronisation},
      {"AIWC", &AnalyserChoice::aiwc},
      {"footprint", &AnalyserChoice::footprint},
      {"stack distance, exact", &AnalyserChoice::stack_distance},
      {"stack distance, 1/128", &AnalyserChoice::sampled_stack_distance}};
  for (const auto& [name, which] : analysers)
    for (const Stream& stream : streams)
      benchmark::RegisterBenchmark((name + '/' + stream.kernel.name).c_str(), analyse,
                                   std::cref(stream), only(which));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
