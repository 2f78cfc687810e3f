// Runs and analyses a small kernel, for tests.
#pragma once

#include "kernels/analysers/all.h"
#include "kernels/analysis.h"
#include "tests/unit/kernels/small_kernels.h"

namespace apmt::kernels::testing {

/// Passes the words of an event stream to the analysers, all at once or in spans of one event each.
/// The result must be the same.
inline Analysis analyse(const Program& program, const std::vector<Word>& words,
                        const AnalyserChoice& choice, bool event_by_event = false) {
  const auto analysers = make_analysers(choice);
  Analysis analysis;
  for (const auto& analyser : analysers) {
    analyser->begin(program);
    if (event_by_event) {
      for (std::size_t at = 0; at < words.size();) {
        const bool is_run = mark_of(words[at]) == Mark::kRun;
        const Word block = words[is_run ? at + 1 : at];
        const std::size_t more = block < program.blocks.size() ? program.blocks[block].words : 0;
        const std::size_t n = is_run ? 2 + 2 * more : 1 + more;
        analyser->consume(0, std::span(words).subspan(at, n));
        at += n;
      }
    } else {
      analyser->consume(0, words);
    }
    analyser->finish(&analysis);
  }
  return analysis;
}

struct Analysed {
  SmallKernel kernel;
  Interpreter run;
  Analysis analysis;

  explicit Analysed(SmallKernel of, AnalyserChoice choice = {.stack_distance = true},
                    bool keeps_steps = true)
      : kernel(std::move(of)), run(kernel.code) {
    run.keeps_steps = keeps_steps;
    kernel.fill(run);
    run.run(0);
    analysis = analyse(kernel.code.program, run.words, choice);
  }
  const KernelAnalysis& found() const { return analysis.kernels.at(0); }
  const LoopFacts& loop(std::uint32_t id) const {
    for (const LoopFacts& facts : found().loops)
      if (facts.id == id) return facts;
    throw std::out_of_range("no such loop");
  }
};

}  // namespace apmt::kernels::testing
