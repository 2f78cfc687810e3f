#include "devices/learned/collect.h"

#include "base/input_error.h"
#include "devices/learned/advice.h"
#include "devices/learned/csv.h"
#include "devices/learned/learner.h"

namespace apmt::learned {
namespace {

void read_time(const DataSet& data, const std::string& word, KernelRun* run) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos)
    throw InputError("--time", "expected DEVICE=SECONDS, not '" + word + "'",
                     "--time gtx1080=3.1e-3");
  const std::size_t device = data.device_index(word.substr(0, equals));
  const auto time_s = number_in(word.substr(equals + 1), "--time " + word);
  if (!time_s || !(*time_s > 1 / kLargestNumber) || *time_s > kLargestNumber)
    throw InputError("--time " + word, "a time must be above zero, in seconds");
  if (run->times_s[device]) throw InputError("--time " + word, "this device has a time already");
  run->times_s[device] = time_s;
}

}  // namespace

void collect(DataSet* data, const std::filesystem::path& analysis, const MeasuredKernel& measured) {
  const std::vector<AskedKernel> kernels =
      read_kernels(analysis, data->head.definitions, measured.kernel);
  if (measured.application.empty())
    throw InputError("--application", "the application that the kernel is of is missing",
                     "validation leaves applications out whole");
  if (kernels.size() != 1)
    throw InputError(analysis.string(),
                     "expected one kernel, but found " + std::to_string(kernels.size()),
                     "--kernel names the one that was measured; apmt learn import joins data sets");
  KernelRun run{.application = measured.application,
                .kernel = kernels[0].title,
                .input = measured.input,
                .suite = measured.suite,
                .features = kernels[0].features,
                .times_s = {}};
  run.times_s.resize(data->head.devices.size());
  if (measured.times.empty())
    throw InputError("--time", "no time was measured", "--time gtx1080=3.1e-3");
  for (const std::string& word : measured.times) read_time(*data, word, &run);
  for (const KernelRun& known : data->runs)
    if (title_of(known) == title_of(run))
      throw InputError(title_of(run), "is in the data set already",
                       "give it another --input, or remove the line");
  data->runs.push_back(std::move(run));
}

}  // namespace apmt::learned
