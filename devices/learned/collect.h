// A kernel that was analysed and measured here becomes one of a data set.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "devices/learned/data_set.h"

namespace apmt::learned {

struct MeasuredKernel {
  std::string application;
  std::string input;
  std::string suite;
  std::vector<std::string> times;  // "gtx1080=3.1e-3": device and seconds
};

/// Adds the kernel of an analysis (docs/learned.md). Throws InputError where its features are of
/// other definitions, a device is not one of the data's, a time is no positive number, or the
/// kernel is there already.
void collect(DataSet* data, const std::filesystem::path& analysis, const MeasuredKernel& measured);

}  // namespace apmt::learned
