// Joins two builds of a program: the recorded one, which has times, and the analysed one, which has
// counts. A place is a function or an inlined copy of it. Compilers inline differently, so this
// finds the places of one build to which the counts of the other build belong.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/analysis.h"
#include "profile/run_profile.h"

namespace apmt {

/// Names of functions in the source, the innermost first: each is inlined into the next.
using InlineChain = std::vector<std::string>;

/// The path without directories, as KernelId::source.
std::string file_name(const std::string& path);

/// A function, or one inlined copy of it, in the recorded program.
struct RecordedPlace {
  KernelId id;         // of the kernel that contains it
  std::string source;  // of the kernel, empty when unknown
  InlineChain names;   // the last is the kernel
  double cpu_s = 0;    // summed over ranks, without what is inlined into it
};

/// The functions for which an analysis has counts.
class CountedFunctions {
 public:
  explicit CountedFunctions(const kernels::Analysis& analysis);
  bool has(const std::string& name) const { return names_.contains(name); }
  /// The name of a recorded function in the analysis. gfortran's name may be "inner" where flang's
  /// is "mod::work::inner"; they match if no other function is called "inner".
  std::string name_of(const std::string& linkage_name) const;

 private:
  std::set<std::string> names_;
  std::map<std::string, std::set<std::string>> by_simple_name_;
};

/// The functions of a run and everything that was inlined into them, including places without time.
std::vector<RecordedPlace> recorded_places(const RunProfile& run, const CountedFunctions& counted);

/// Finds the places in the recorded program to which the counts of a scope belong. A scope is a
/// function of the analysed program, or one inlined copy of it (kernels::ScopeCounts).
class PlaceIndex {
 public:
  struct Part {
    std::size_t place = 0;  // index of a RecordedPlace
    double share = 0;       // of the scope's counts
  };

  explicit PlaceIndex(const std::vector<RecordedPlace>& places);

  /// The shares add up to 1. The result is empty if no recorded place belongs to the scope or to a
  /// function around it.
  std::vector<Part> parts_of(const kernels::ScopeCounts& scope) const;

 private:
  /// The places whose inline chains have the most functions in common with `chain`, counted from
  /// the innermost one. A chain that begins with all of `chain`, or is its beginning, takes
  /// precedence. `file` is the source file of the innermost function of `chain`.
  std::vector<std::size_t> best_places(const InlineChain& chain, const std::string& file) const;

  const std::vector<RecordedPlace>& places_;
  std::map<std::string, std::vector<std::size_t>> by_name_;  // of the innermost function
};

}  // namespace apmt
