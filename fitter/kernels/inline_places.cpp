#include "fitter/kernels/inline_places.h"

#include <algorithm>
#include <utility>

#include "base/source_function.h"
#include "fitter/runs/run_parts.h"

namespace apmt {
namespace {

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
  if (std::any_of(candidates.begin(), candidates.end(),
                  [&](std::size_t i) { return is_kernel(i) && is_in_file(i); }))
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

}  // namespace apmt
