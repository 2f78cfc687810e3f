// The report of `apmt analyze`. It describes each kernel in about a dozen sentences: its
// operations, parallelism and locality, and what would limit it on a wide device such as a GPU.
#include "reports/kernels.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "reports/numbers.h"
#include "reports/words.h"

namespace apmt {
namespace {

using namespace kernels;
using Sentences = std::vector<std::string>;

constexpr double kWideDevice = 1000;       // simultaneous operations that keep a wide device busy
constexpr std::uint64_t kLongChain = 100;  // loads that wait for each other
constexpr double kFewChains = 100;         // pointer chases that could run at once
constexpr double kUnforeseeable = 0.1;     // branches with more linear entropy are hard to predict
constexpr double kLittleWork = 1;  // with fewer floating-point operations per byte: bandwidth-bound

double number(std::uint64_t n) { return static_cast<double>(n); }
double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : number(part) / number(whole);
}
std::string place(const std::string& file, std::uint32_t line) {
  return file + ':' + std::to_string(line);
}
std::string incomplete(bool is_complete) {
  return is_complete ? ""
                     : " The analysis reached its memory limit; from there on this is not exact.";
}

void say_mix(const InstructionMix& m, Sentences* say) {
  // An atomic is one instruction, but a load and a store; a copy is one instruction, but many.
  const std::uint64_t parts = m.alu + m.simd + m.loads + m.stores + m.branches;
  const std::uint64_t all = std::max(m.instructions, parts);
  say->push_back("It executes " + format_count(number(m.instructions)) +
                 " instructions: " + format_share(share(m.alu + m.simd, all)) + " compute, " +
                 format_share(share(m.loads + m.stores, all)) + " load or store, " +
                 format_share(share(m.branches, all)) + " branch." +
                 (parts > m.instructions
                      ? " Copies and atomics count as the loads and stores that they stand for."
                      : ""));
  const std::uint64_t bytes = m.loaded_bytes + m.stored_bytes;
  if (m.flops == 0) {
    say->push_back("It has no floating-point operation; it loads and stores " +
                   format_bytes(number(bytes)) + ".");
    return;
  }
  say->push_back(
      format_count(number(m.flops)) + " floating-point operations, " +
      (bytes == 0 ? "without memory"
                  : format_significant(share(m.flops, bytes)) + " for each byte loaded or stored") +
      ".");
  if (m.flops_vector)
    say->push_back(*m.flops_vector == 0
                       ? "The vectoriser can use vectors for none of them."
                       : "The vectoriser can use vectors for " +
                             format_share(share(*m.flops_vector, m.flops)) + " of them.");
}

void say_parallelism(const Parallelism& p, const std::string& what, Sentences* say) {
  if (p.depth == 0) return;
  say->push_back("The longest chain of " + what + " that wait for each other has " +
                 format_count(number(p.depth)) + "; on average " +
                 format_count(number(p.operations) / number(p.depth)) + " can run at once." +
                 incomplete(p.is_complete));
}

void say_locality(const Locality& l, Sentences* say) {
  if (l.accesses <= 0) return;
  constexpr double kFewLines = 16;  // with fewer sampled cache lines, the error exceeds 25 %
  if (l.one_line_of > 1 && l.cold < kFewLines * number(l.one_line_of)) {
    say->push_back("It touches too few cache lines for one in " + std::to_string(l.one_line_of) +
                   " to represent them; --with stack-distances follows every line.");
    return;
  }
  std::string misses;
  for (const double cache : {32.0 * 1024, 1024.0 * 1024, 32.0 * 1024 * 1024})
    misses += (misses.empty() ? "" : ", ") + format_share(l.misses(cache) / l.accesses) + " with " +
              format_bytes(cache);
  say->push_back("It touches " + format_bytes(l.cold * number(l.line_bytes)) +
                 ". Of its accesses, an ideal cache misses " + misses + "." +
                 (l.one_line_of > 1
                      ? " One line of " + std::to_string(l.one_line_of) + " was followed."
                      : "") +
                 incomplete(l.is_complete));
}

void say_synchronisation(const KernelAnalysis& k, Sentences* say) {
  const Synchronisation& s = *k.synchronisation;
  if (s.annotated)
    say->push_back("It synchronises globally " + plural(number(*s.annotated), "time", "times") +
                   ", as annotated.");
  else if (s.by_trip_counts == 0)
    say->push_back("It needs no global synchronisation." + incomplete(s.is_complete));
  else
    say->push_back("Sequential loops with parallel loops inside make " +
                   plural(number(s.by_trip_counts), "synchronisation", "synchronisations") +
                   (s.inside_parallel > 0
                        ? ", of which " + format_count(number(s.inside_parallel)) +
                              " are inside a parallel loop and need not be global"
                        : "") +
                   "." + incomplete(s.is_complete));
}

bool is_inside_parallel(const KernelAnalysis& k, const LoopFacts& loop) {
  for (const LoopFacts& around : k.loops)
    if (loop.parent == around.id)
      return around.verdict == Verdict::kParallel || is_inside_parallel(k, around);
  return false;
}

void say_loops(const KernelAnalysis& k, Sentences* say) {
  std::vector<std::string> parallel, sequential;
  for (const LoopFacts& loop : k.loops) {
    if (loop.verdict == Verdict::kParallel && !is_inside_parallel(k, loop))
      parallel.push_back(place(loop.file, loop.line));
    if (loop.verdict == Verdict::kSequential && sequential.size() < 3)
      sequential.push_back(place(loop.file, loop.line) +
                           (loop.because_line == 0
                                ? ""
                                : " (line " + std::to_string(loop.because_line) +
                                      " reads what an earlier iteration wrote)"));
  }
  if (!parallel.empty()) say->push_back("Outermost parallel loops: " + join_list(parallel) + ".");
  if (!sequential.empty()) say->push_back("Sequential loops: " + join_list(sequential) + ".");
}

void say_idioms(const KernelAnalysis& k, Sentences* say) {
  std::vector<std::string> found;
  for (const LoopFacts& loop : k.loops)
    for (const IdiomFacts& idiom : loop.idioms)
      found.push_back(idiom.idiom + " at " + place(idiom.file, idiom.line));
  if (!found.empty()) say->push_back("Idioms: " + join_list(found) + ".");
}

void say_aiwc(const Aiwc& a, Sentences* say) {
  const std::string items =
      a.work_item == "work-item"
          ? "It has " + plural(number(a.work_items), "work-item", "work-items")
          : "With one work-item for each " + a.work_item + " it has " +
                format_count(number(a.work_items));
  say->push_back(items + ", of " + format_count(number(a.least_per_item)) + " to " +
                 format_count(number(a.most_per_item)) + " instructions (median " +
                 format_count(a.median_per_item) + ").");
  say->push_back(
      capitalised(plural(number(a.branches), "conditional branch", "conditional branches")) +
      " with an entropy of " + format_significant(a.linear, 2) + " (0: predictable, 1: random)." +
      incomplete(a.is_complete));
}

void say_what_holds_back(const KernelAnalysis& k, Sentences* say) {
  std::vector<std::string> reasons;
  const bool is_narrow =
      k.all_operations && k.all_operations->depth > 0 &&
      number(k.all_operations->operations) / number(k.all_operations->depth) < kWideDevice;
  if (is_narrow) reasons.push_back("too few operations at once");
  if (k.load_chain && k.mix && k.load_chain->depth > kLongChain &&
      number(k.mix->loads) / number(k.load_chain->depth) < kFewChains)
    reasons.push_back("loads that wait for each other");
  if (k.synchronisation && k.synchronisation->global() > k.synchronisation->inside_parallel)
    reasons.push_back("global synchronisations");
  if (k.aiwc && k.aiwc->linear > kUnforeseeable)
    reasons.push_back("branches that are hard to predict");
  if (k.mix && !is_narrow &&  // otherwise the chain of operations takes longer
      number(k.mix->flops) < kLittleWork * number(k.mix->loaded_bytes + k.mix->stored_bytes))
    reasons.push_back("memory bandwidth rather than arithmetic");
  say->push_back(reasons.empty()
                     ? "None of the examined properties would hold it back on a wide device."
                     : "On a wide device these would hold it back: " + join_list(reasons) + ".");
}

std::vector<std::string> names_of_idioms(const LoopFacts& loop) {
  std::vector<std::string> names;
  for (const IdiomFacts& idiom : loop.idioms) names.push_back(idiom.idiom);
  return names;
}

ReportTable loop_table(const KernelAnalysis& k) {
  ReportTable table{.id = "loops", .caption = "Loops"};
  table.columns = {{.id = "place", .title = "loop", .is_code = true},
                   {.id = "function", .title = "function", .is_code = true},
                   {.id = "entries", .title = "entries", .quantity = Quantity::kCount},
                   {.id = "trips", .title = "trips", .quantity = Quantity::kCount},
                   {.id = "verdict", .title = "is"},
                   {.id = "idioms", .title = "idioms"},
                   {.id = "footprint", .title = "footprint", .quantity = Quantity::kBytes}};
  for (const LoopFacts& loop : k.loops) {
    static constexpr const char* kWords[] = {"parallel", "sequential", "run once"};
    ReportRow row;
    row.cells = {{.text = place(loop.file, loop.line)},
                 {.text = loop.function},
                 {.value = number(loop.entries)},
                 {.value = number(loop.trips)},
                 {.text = kWords[static_cast<std::size_t>(loop.verdict)]},
                 {.text = loop.idioms.empty() ? "" : join_list(names_of_idioms(loop))},
                 {.value = loop.footprint_bytes}};
    table.rows.push_back(std::move(row));
  }
  table.text_rows = 12;
  table.more = "loops";
  return table;
}

ReportTable idiom_table(const KernelAnalysis& k) {
  ReportTable table{.id = "idioms", .caption = "Idioms"};
  table.columns = {{.id = "place", .title = "at", .is_code = true},
                   {.id = "idiom", .title = "idiom"},
                   {.id = "depth", .title = "depth", .quantity = Quantity::kCount},
                   {.id = "share", .title = "references", .quantity = Quantity::kShare},
                   {.id = "footprint", .title = "footprint", .quantity = Quantity::kBytes},
                   {.id = "code", .title = "code", .is_code = true, .is_formula = true}};
  for (const LoopFacts& loop : k.loops)
    for (const IdiomFacts& idiom : loop.idioms)
      table.rows.push_back({.cells = {{.text = place(idiom.file, idiom.line)},
                                      {.text = idiom.idiom},
                                      {.value = number(loop.depth)},
                                      {.value = idiom.share},
                                      {.value = loop.footprint_bytes},
                                      {.text = idiom.code}}});
  table.text_rows = 12;
  table.more = "idioms";
  return table;
}

/// The counts of each source function including its inlined copies; most instructions first.
ReportSection functions_of(const Analysis& analysis) {
  std::map<std::tuple<std::string, std::string, std::uint32_t>, InstructionMix> mixes;
  for (const ScopeCounts& scope : analysis.scopes)
    mixes[{scope.function, scope.file, scope.line}].add(scope.mix);
  std::vector<std::pair<std::string, InstructionMix>> rows;
  for (const auto& [scope, mix] : mixes) rows.emplace_back(std::get<0>(scope), mix);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.instructions > b.second.instructions;
  });
  ReportTable table{.id = "functions", .caption = "Functions"};
  table.columns = {{.id = "function", .title = "function", .is_code = true},
                   {.id = "instructions", .title = "instructions", .quantity = Quantity::kCount},
                   {.id = "flops", .title = "flops", .quantity = Quantity::kCount},
                   {.id = "loaded", .title = "loaded", .quantity = Quantity::kBytes},
                   {.id = "stored", .title = "stored", .quantity = Quantity::kBytes}};
  for (const auto& [function, mix] : rows) {
    ReportRow row;
    row.cells = {{.text = function},
                 {.value = number(mix.instructions)},
                 {.value = number(mix.flops)},
                 {.value = number(mix.loaded_bytes)},
                 {.value = number(mix.stored_bytes)}};
    table.rows.push_back(std::move(row));
  }
  table.text_rows = 12;
  table.more = "functions";
  ReportSection section{.id = "functions", .title = "What was counted"};
  section.tables.push_back(std::move(table));
  return section;
}

/// States the metric ALU-COMM of the paper "Should I use a GPU?".
std::optional<std::string> copies_sentence(const Analysis& analysis) {
  const std::uint64_t bytes = analysis.copied_to_device_bytes + analysis.copied_from_device_bytes;
  std::uint64_t computes = 0;
  for (const KernelAnalysis& k : analysis.kernels)
    if (k.mix) computes += k.mix->alu + k.mix->simd;
  if (bytes == 0 || computes == 0) return std::nullopt;
  return format_bytes(number(bytes)) +
         " were copied between host and device; the kernels execute " +
         format_number(number(computes) / number(bytes)) +
         " arithmetic, logic and address instructions for each byte.";
}

/// An estimate assumes that each skipped invocation is like one that was followed. The estimate is
/// doubtful if these two differ by more than this share of all instructions.
constexpr double kMuchDifference = 0.05;

void say_skipped(const KernelAnalysis& k, Sentences* say) {
  const bool has_footprints =
      std::any_of(k.loops.begin(), k.loops.end(),
                  [](const LoopFacts& loop) { return loop.footprint_bytes.has_value(); });
  const bool is_estimated = k.floating_point || k.all_operations || k.synchronisation;
  if (!is_estimated && !has_footprints) return;  // all that was analysed is exact
  std::string sentence =
      "Only " + plural(number(*k.followed_invocations), "invocation was", "invocations were") +
      " followed";
  if (is_estimated)
    sentence += "; schedules, synchronisations, loops and idioms are estimated from them";
  if (has_footprints && !k.locality && !k.sampled_locality)
    sentence += "; footprints are lower bounds";
  say->push_back(sentence + ".");
  if (is_estimated && k.skipped_difference.value_or(0) > kMuchDifference)
    say->push_back(
        "The skipped invocations differ from those that they are assumed to be like by " +
        format_share(*k.skipped_difference) +
        " of all instructions; --every-invocation follows them all.");
}

/// Bytes of memory that all analysers used together. Most analysers use one table for all kernels,
/// so the largest value of each analyser counts, not the sum over the kernels.
std::uint64_t memory_of(const Analysis& analysis) {
  std::uint64_t floating_point = 0, all_operations = 0, exact = 0, sampled = 0, loops = 0, aiwc = 0;
  for (const KernelAnalysis& k : analysis.kernels) {
    const auto most = [](std::uint64_t* sum, std::uint64_t bytes) { *sum = std::max(*sum, bytes); };
    if (k.floating_point) most(&floating_point, k.floating_point->shadow_bytes);
    if (k.all_operations) most(&all_operations, k.all_operations->shadow_bytes);
    if (k.locality) most(&exact, k.locality->memory_bytes);
    if (k.sampled_locality) most(&sampled, k.sampled_locality->memory_bytes);
    if (k.synchronisation) most(&loops, k.synchronisation->shadow_bytes);
    if (k.aiwc) most(&aiwc, k.aiwc->memory_bytes);
  }
  return floating_point + all_operations + exact + sampled + loops + aiwc;
}

}  // namespace

ReportSection kernel_section(const KernelAnalysis& k) {
  ReportSection section{.id = k.function, .title = k.name + " (" + place(k.file, k.line) + ")"};
  Sentences* say = &section.sentences;
  say->push_back(k.invocations == 1 ? "It ran once."
                                    : "It ran " + format_count(number(k.invocations)) + " times.");
  if (k.followed_invocations) say_skipped(k, say);
  if (k.threads > 1 && (k.floating_point || k.all_operations || k.synchronisation))
    say->push_back("It ran on " + plural(number(k.threads), "thread", "threads") +
                   "; schedules, dependences and stack distances are those of one of them.");
  if (k.mix) say_mix(*k.mix, say);
  if (k.floating_point) say_parallelism(*k.floating_point, "floating-point operations", say);
  if (k.all_operations) say_parallelism(*k.all_operations, "operations of any kind", say);
  if (k.locality)
    say_locality(*k.locality, say);
  else if (k.sampled_locality)
    say_locality(*k.sampled_locality, say);
  if (k.synchronisation) say_synchronisation(k, say);
  say_loops(k, say);
  say_idioms(k, say);
  if (k.aiwc) say_aiwc(*k.aiwc, say);
  say_what_holds_back(k, say);
  std::vector<std::string> blind;
  for (const BlindSpot& spot : k.blind_spots)
    blind.push_back((spot.callee.empty() ? "calls through a pointer" : spot.callee) + " (" +
                    plural(number(spot.calls), "call", "calls") + ")");
  if (!blind.empty())
    say->push_back("Not instrumented, and so not counted: " + join_list(blind) + ".");
  if (!k.loops.empty()) section.tables.push_back(loop_table(k));
  if (ReportTable idioms = idiom_table(k); !idioms.rows.empty())
    section.tables.push_back(std::move(idioms));
  return section;
}

Report make_analysis_report(const Analysis& analysis) {
  Report report;
  report.title = "Kernels of " + analysis.program;
  if (analysis.analysers.empty() && analysis.kernels.empty())
    report.headline = "Blocks were counted; no kernel was followed.";
  else if (analysis.kernels.empty())
    report.headline = "No kernel ran.";
  else
    report.headline =
        capitalised(plural(number(analysis.kernels.size()), "kernel was", "kernels were")) +
        " analysed, independently of any machine.";
  report.facts = {{"program", analysis.program}};
  if (const auto sentence = copies_sentence(analysis)) report.reasons.push_back(*sentence);
  if (const std::uint64_t bytes = memory_of(analysis); bytes > 0)
    report.reasons.push_back("The analysers used " + format_bytes(number(bytes)) + " of memory.");
  if (analysis.kernels.empty() && !analysis.scopes.empty())
    report.sections.push_back(functions_of(analysis));
  for (const KernelAnalysis& kernel : analysis.kernels)
    report.sections.push_back(kernel_section(kernel));
  return report;
}

}  // namespace apmt
