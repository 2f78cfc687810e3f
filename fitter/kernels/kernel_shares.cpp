#include "fitter/kernels/kernel_shares.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/input_error.h"
#include "base/source_function.h"
#include "fitter/kernels/inline_places.h"
#include "fitter/kernels/kernel_join.h"

namespace apmt {
namespace {

using Kernels = std::vector<kernels::KernelAnalysis>;

/// Finds the kernel to which the time of a recorded place belongs: the innermost function in the
/// place's inline chain that is a kernel of the analysis.
class KernelFinder {
 public:
  explicit KernelFinder(const Kernels& kernels) : kernels_(kernels) {
    for (std::size_t k = 0; k < kernels.size(); ++k)
      by_name_[source_function(kernels[k].function).name].push_back(k);
  }

  std::optional<std::size_t> operator()(const RecordedPlace& place) const {
    for (const std::string& name : place.names)
      if (const auto at = by_name_.find(name); at != by_name_.end())
        return one_of(at->second, place.source);
    return std::nullopt;
  }

 private:
  /// Static functions of several files may have the same name.
  std::size_t one_of(const std::vector<std::size_t>& same_name, const std::string& source) const {
    const auto in_source = std::find_if(same_name.begin(), same_name.end(), [&](std::size_t k) {
      const std::string& file = kernels_[k].file;
      return file.substr(file.find_last_of('/') + 1) == source;
    });
    return in_source == same_name.end() ? same_name.front() : *in_source;
  }

  const Kernels& kernels_;
  std::map<std::string, std::vector<std::size_t>> by_name_;
};

}  // namespace

std::vector<double> kernel_shares(const RunProfile& run, const kernels::Analysis& analysis) {
  if (!has_same_input(run, analysis))
    throw InputError("",
                     "the analysis is of '" + analysis.program + "' and the run of '" +
                         run.command + "': other arguments or process counts",
                     "the time of idioms depends on the input: analyse the command of the run");
  const KernelFinder kernel_of(analysis.kernels);
  std::vector<double> shares(analysis.kernels.size(), 0);
  double all_s = 0, kernels_s = 0;
  for (const RecordedPlace& place : recorded_places(run, CountedFunctions(analysis))) {
    all_s += place.cpu_s;
    if (const auto kernel = kernel_of(place)) {
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
