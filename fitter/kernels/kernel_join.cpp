#include "fitter/kernels/kernel_join.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/input_error.h"
#include "base/json_fields.h"
#include "base/source_function.h"
#include "base/words.h"
#include "fitter/runs/run_parts.h"
#include "profile/profile_fields.h"

namespace apmt {
namespace {

using kernels::Analysis;

constexpr double kWorthANote = 0.05;  // share of the compute time or counts; more gets a note

std::string share_text(double share) { return formatted("%.3g %%", 100 * share); }

/// Adds a name unless it is already the last one. The same name follows itself if a region was
/// outlined from a function and inlined into it again: the region has the function's name.
void append(const std::string& name, InlineChain* chain) {
  if (chain->empty() || chain->back() != name) chain->push_back(name);
}

/// The chain of a scope, and the file of each of its functions.
std::pair<InlineChain, std::vector<std::string>> chain_of(const kernels::ScopeCounts& counts) {
  InlineChain chain;
  std::vector<std::string> files;
  const auto add = [&](const std::string& linkage_name, const std::string& file) {
    append(source_function(linkage_name).name, &chain);
    if (files.size() < chain.size()) files.push_back(file_name(file));
  };
  add(counts.function, counts.file);
  for (const std::string& around : counts.inlined_into) {  // "linkage name@file:line"
    const std::size_t at = around.find('@'), colon = around.rfind(':');
    if (at == std::string::npos || colon < at) continue;
    add(around.substr(0, at), around.substr(at + 1, colon - at - 1));
  }
  return {chain, files};
}

/// Fills in missing source files. gfortran states no file for outlined regions, but they are in the
/// file of their function.
void fill_sources(std::vector<RecordedPlace>* places) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> known;  // by object and name
  for (const RecordedPlace& place : *places)
    if (!place.source.empty()) known[{place.id.object, place.names.back()}].insert(place.source);
  for (RecordedPlace& place : *places)
    if (const auto sources = known.find({place.id.object, place.names.back()});
        place.source.empty() && sources != known.end() && sources->second.size() == 1)
      place.source = *sources->second.begin();
}

std::string why_missing(const KernelId& id, const RunProfile& run,
                        const std::set<std::string>& blind) {
  if (id.linkage_name.starts_with(id.object + "+0x"))
    return "the recorded object names no function there";
  if (id.object.starts_with("libc.so") &&
      id.linkage_name.find("mem") != std::string::npos)  // "__memset_avx2_unaligned_erms"
    return "in " + id.object + "; its accesses are counted in the functions that call it";
  if (blind.contains(id.linkage_name)) return "called by the analysed kernels, not instrumented";
  if (id.object != run.program) return "in " + id.object + ", which was not analysed";
  return "not in the analysed build, or it did not run there";
}

/// The row of a recorded function: one for each combination of name, source file and object.
using RowIndex = std::map<std::tuple<std::string, std::string, std::string>, std::size_t>;
JoinedFunction& row_of(const RecordedPlace& place, RowIndex* index, KernelJoin* join) {
  std::vector<JoinedFunction>& rows = join->functions;
  const auto [at, is_new] =
      index->try_emplace({place.names.back(), place.source, place.id.object}, rows.size());
  if (is_new) rows.push_back({.name = place.names.back()});
  JoinedFunction& row = rows[at->second];
  if (std::ranges::find(row.ids, place.id) == row.ids.end()) row.ids.push_back(place.id);
  return row;
}

void join_times(const RunProfile& run, const Analysis& analysis, const CountedFunctions& counted,
                const std::vector<RecordedPlace>& places, RowIndex* index, KernelJoin* join) {
  std::set<std::string> blind;  // callees that were not instrumented
  for (const kernels::KernelAnalysis& kernel : analysis.kernels)
    for (const kernels::BlindSpot& spot : kernel.blind_spots) blind.insert(spot.callee);
  std::map<KernelId, double> missing_s;
  for (const RecordedPlace& place : places) {
    JoinedFunction& row = row_of(place, index, join);
    row.cpu_s += place.cpu_s;
    join->cpu_s += place.cpu_s;
    const auto known = std::find_if(place.names.begin(), place.names.end(),
                                    [&](const std::string& name) { return counted.has(name); });
    if (known == place.names.end()) {
      missing_s[place.id] += place.cpu_s;
      continue;
    }
    row.joined_s += place.cpu_s;
    join->joined_s += place.cpu_s;
    if (known != place.names.begin()) join->by_caller_s += place.cpu_s;
  }
  for (const auto& [id, cpu_s] : missing_s)
    if (cpu_s > 0)
      join->missing.push_back(
          {source_function(id.linkage_name).name, id.object, cpu_s, why_missing(id, run, blind)});
}

void join_counts(const Analysis& analysis, const std::vector<RecordedPlace>& places,
                 RowIndex* index, KernelJoin* join) {
  const PlaceIndex by_chain(places);
  std::map<std::string, JoinedCounts> unplaced;
  for (const kernels::ScopeCounts& scope : analysis.scopes) {
    const auto instructions = static_cast<double>(scope.mix.instructions);
    join->ir_instructions += instructions;
    const std::vector<PlaceIndex::Part> parts = by_chain.parts_of(scope);
    for (const PlaceIndex::Part& part : parts)
      row_of(places[part.place], index, join).counts.add(scope.mix, part.share);
    if (parts.empty())
      unplaced[source_function(scope.function).name].add(scope.mix, 1);
    else
      join->placed_ir_instructions += instructions;
  }
  for (const auto& [name, counts] : unplaced)
    if (counts.ir_instructions > 0) join->unplaced.push_back({name, counts});
}

/// The compute time of the program's own functions without debug information. Regions that gcc
/// outlined (solve._omp_fn.0) do not count, because they never have a file.
double undebugged_s(const RunProfile& run, const std::vector<RecordedPlace>& places) {
  double seconds = 0;
  for (const RecordedPlace& place : places)
    if (place.id.object == run.program && place.source.empty() &&
        place.id.linkage_name.find("._") == std::string::npos)
      seconds += place.cpu_s;
  return seconds;
}

void add_notes(const RunProfile& run, const std::vector<RecordedPlace>& places, KernelJoin* join) {
  std::vector<std::string>& notes = join->notes;
  if (!join->is_same_input)
    notes.emplace_back(
        "the analysed command and the recorded one have other arguments or process counts, so "
        "functions are joined, but the counts do not belong to the times");
  if (undebugged_s(run, places) > kWorthANote * join->cpu_s)
    notes.emplace_back(
        "the run was recorded without debug information, so functions that the compiler inlined "
        "cannot be told from those around them: record a build with -g");
  if (join->by_caller_s > kWorthANote * join->cpu_s)
    notes.push_back(share_text(join->by_caller_s / join->cpu_s) +
                    " of the compute time is in inlined functions that the analysis does not name; "
                    "it is joined with the functions around them");
  const double placed =
      join->ir_instructions > 0 ? join->placed_ir_instructions / join->ir_instructions : 1;
  if (placed < 1 - kWorthANote)
    notes.push_back(share_text(1 - placed) +
                    " of what was counted is in functions that have no recorded time");
}

/// The kernel to which the time of a recorded place belongs: the innermost function in the place's
/// inline chain that is a kernel of the analysis. `by_name` has the kernels with each source name:
/// static functions of several files may have the same one.
std::optional<std::size_t> kernel_of(
    const RecordedPlace& place, const Analysis& analysis,
    const std::map<std::string, std::vector<std::size_t>>& by_name) {
  for (const std::string& name : place.names) {
    const auto at = by_name.find(name);
    if (at == by_name.end()) continue;
    const std::vector<std::size_t>& same_name = at->second;
    const auto in_source = std::find_if(same_name.begin(), same_name.end(), [&](std::size_t k) {
      return file_name(analysis.kernels[k].file) == place.source;
    });
    return in_source == same_name.end() ? same_name.front() : *in_source;
  }
  return std::nullopt;
}

Json json_of(const JoinedCounts& c) {
  return {{"flops", c.flops},
          {"loads", c.loads},
          {"stores", c.stores},
          {"loaded_bytes", c.loaded_bytes},
          {"stored_bytes", c.stored_bytes},
          {"ir_instructions", c.ir_instructions}};
}

/// Whether the analysed command ends in the arguments of the recorded program and has the same
/// number of ranks. If the recorded program has no arguments and several ranks, only the number of
/// ranks is compared, because the analysed command includes the words of the launcher.
bool has_same_input(const RunProfile& run, const Analysis& analysis) {
  const std::string& command = run.command;
  const std::string arguments = command.substr(std::min(command.find(' '), command.size()));
  return analysis.processes == static_cast<std::uint64_t>(run.config.procs) &&
         (arguments.empty()
              ? analysis.program.find_last_of(' ') == std::string::npos || run.config.procs > 1
              : analysis.program.ends_with(arguments));
}

}  // namespace

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

CountedFunctions::CountedFunctions(const kernels::Analysis& analysis) {
  for (const kernels::ScopeCounts& scope : analysis.scopes) {
    if (scope.mix.instructions == 0) continue;
    const SourceFunction function = source_function(scope.function);
    names_.insert(function.name);
    by_simple_name_[function.simple].insert(function.name);
  }
}

std::string CountedFunctions::name_of(const std::string& linkage_name) const {
  std::string name = source_function(linkage_name).name;
  if (names_.contains(name)) return name;
  const auto whole = by_simple_name_.find(name);
  return whole != by_simple_name_.end() && whole->second.size() == 1 ? *whole->second.begin()
                                                                     : name;
}

std::vector<RecordedPlace> recorded_places(const RunProfile& run, const CountedFunctions& counted) {
  std::vector<RecordedPlace> places;
  for (const KernelProfile& kernel : run.kernels) {
    std::map<InlineChain, double> seconds;  // the outermost first
    InlineChain kernel_only;
    append(counted.name_of(kernel.id.linkage_name), &kernel_only);
    double& own_s = seconds[kernel_only];
    if (const Counter* cpu = cpu_counter(kernel)) own_s = cpu->total();
    for (const InlinedProfile& inlined : kernel.inlined) {
      own_s -= inlined.cpu_s;
      InlineChain chain = kernel_only;
      for (const std::string& function : inlined.functions) {
        append(counted.name_of(function), &chain);
        seconds[chain];
      }
      seconds[chain] += inlined.cpu_s;
    }
    for (auto& [chain, s] : seconds)
      places.push_back({kernel.id, kernel.id.source, InlineChain(chain.rbegin(), chain.rend()),
                        std::max(s, 0.0)});
  }
  fill_sources(&places);
  return places;
}

PlaceIndex::PlaceIndex(const std::vector<RecordedPlace>& places) : places_(places) {
  for (std::size_t i = 0; i < places.size(); ++i) by_name_[places[i].names.front()].push_back(i);
}

std::vector<std::size_t> PlaceIndex::best_places(const InlineChain& chain,
                                                 const std::string& file) const {
  const auto at = by_name_.find(chain.front());
  if (at == by_name_.end()) return {};
  // If several files have a kernel of this name, only the one in `file` is a candidate.
  std::vector<std::size_t> candidates = at->second;
  const auto is_kernel = [&](std::size_t i) { return places_[i].names.size() == 1; };
  const auto is_in_file = [&](std::size_t i) { return places_[i].source == file; };
  if (std::ranges::any_of(candidates, [&](std::size_t i) { return is_kernel(i) && is_in_file(i); }))
    std::erase_if(candidates, [&](std::size_t i) { return is_kernel(i) && !is_in_file(i); });
  std::vector<std::size_t> best;
  std::pair<bool, std::ptrdiff_t> most{false, 0};
  for (const std::size_t i : candidates) {
    const InlineChain& names = places_[i].names;
    const auto [end, end_of_names] =
        std::mismatch(chain.begin(), chain.end(), names.begin(), names.end());
    // If one chain begins with all of the other, the only difference between the builds is how far
    // out inlining continued.
    const bool fits = end == chain.end() || end_of_names == names.end();
    const std::pair match(fits, end - chain.begin());
    if (match > most) {
      most = match;
      best.clear();
    }
    if (match == most) best.push_back(i);
  }
  return best;
}

std::vector<PlaceIndex::Part> PlaceIndex::parts_of(const kernels::ScopeCounts& scope) const {
  const auto [chain, files] = chain_of(scope);
  for (std::size_t outwards = 0; outwards < chain.size(); ++outwards) {
    const InlineChain rest(chain.begin() + static_cast<std::ptrdiff_t>(outwards), chain.end());
    const std::vector<std::size_t> best = best_places(rest, files[outwards]);
    if (best.empty()) continue;
    double all = 0;
    for (const std::size_t i : best) all += places_[i].cpu_s;
    std::vector<Part> parts;
    for (const std::size_t i : best)
      parts.push_back({i, all > 0 ? places_[i].cpu_s / all : 1 / static_cast<double>(best.size())});
    return parts;
  }
  return {};
}

void JoinedCounts::add(const kernels::InstructionMix& mix, double times) {
  flops += static_cast<double>(mix.flops) * times;
  loads += static_cast<double>(mix.loads) * times;
  stores += static_cast<double>(mix.stores) * times;
  loaded_bytes += static_cast<double>(mix.loaded_bytes) * times;
  stored_bytes += static_cast<double>(mix.stored_bytes) * times;
  ir_instructions += static_cast<double>(mix.instructions) * times;
}

std::string why_of_other_work(const AnalysedSize& analysed, const Experiment& experiment,
                              const ExperimentPoint& point) {
  const Analysis& a = analysed.analysis;
  if (a.processes == 0) return {};  // an older file, which does not say it
  const std::string where =
      "the analysis in a run with " + counted(analysed.procs, "process", "processes");
  if (a.processes != static_cast<std::uint64_t>(analysed.procs))
    return where + " was made with " + std::to_string(a.processes);
  if (std::ranges::any_of(point.runs,
                          [&](std::size_t run) { return has_same_input(experiment.runs[run], a); }))
    return {};
  return where + " is of another input: '" + a.program + "', while the run was '" +
         experiment.runs[point.runs.front()].command + "'";
}

KernelJoin join_kernels(const RunProfile& run, const Analysis& analysis) {
  KernelJoin join;
  join.program = analysis.program;
  join.command = run.command;
  join.is_same_input = has_same_input(run, analysis);
  const CountedFunctions counted(analysis);
  const std::vector<RecordedPlace> places = recorded_places(run, counted);
  RowIndex index;
  join_times(run, analysis, counted, places, &index, &join);
  join_counts(analysis, places, &index, &join);
  const auto by_time = [](const auto& a, const auto& b) { return a.cpu_s > b.cpu_s; };
  std::ranges::stable_sort(join.functions, by_time);
  std::ranges::stable_sort(join.missing, by_time);
  std::ranges::stable_sort(join.unplaced, [](const auto& a, const auto& b) {
    return a.counts.ir_instructions > b.counts.ir_instructions;
  });
  add_notes(run, places, &join);
  return join;
}

Json to_json(const KernelJoin& join) {
  Json functions = Json::array(), missing = Json::array(), unplaced = Json::array();
  for (const JoinedFunction& f : join.functions)
    functions.push_back({{"name", f.name},
                         {"kernels", struct_to_json(f.ids)},
                         {"cpu_s", f.cpu_s},
                         {"joined_s", f.joined_s},
                         {"counts", json_of(f.counts)}});
  for (const MissingTime& m : join.missing)
    missing.push_back(
        {{"name", m.name}, {"object", m.object}, {"cpu_s", m.cpu_s}, {"reason", m.reason}});
  for (const UnplacedCounts& u : join.unplaced)
    unplaced.push_back({{"name", u.name}, {"counts", json_of(u.counts)}});
  return {{"format", "apmt-analysis-join"},
          {"format_version", "1.0"},
          {"program", join.program},
          {"command", join.command},
          {"cpu_s", join.cpu_s},
          {"joined_s", join.joined_s},
          {"joined_share", join.share()},
          {"enough", join.is_enough()},
          {"by_caller_s", join.by_caller_s},
          {"same_input", join.is_same_input},
          {"functions", std::move(functions)},
          {"missing", std::move(missing)},
          {"unplaced", std::move(unplaced)},
          {"notes", join.notes}};
}

std::vector<double> kernel_shares(const RunProfile& run, const kernels::Analysis& analysis) {
  if (!has_same_input(run, analysis))
    throw InputError("",
                     "the analysis is of '" + analysis.program + "' and the run of '" +
                         run.command + "': other arguments or process counts",
                     "the time of idioms depends on the input: analyse the command of the run");
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (std::size_t k = 0; k < analysis.kernels.size(); ++k)
    by_name[source_function(analysis.kernels[k].function).name].push_back(k);
  std::vector<double> shares(analysis.kernels.size(), 0);
  double all_s = 0, kernels_s = 0;
  for (const RecordedPlace& place : recorded_places(run, CountedFunctions(analysis))) {
    all_s += place.cpu_s;
    if (const auto kernel = kernel_of(place, analysis, by_name)) {
      shares[*kernel] += place.cpu_s;
      kernels_s += place.cpu_s;
    }
  }
  if (!(kernels_s > 0))
    throw InputError("", "the run has no time in the kernels of the analysis",
                     "record a longer run of the same program: apmt record",
                     ExitCode::kNotEnoughData);
  for (double& share : shares) share /= all_s;
  return shares;
}

}  // namespace apmt
