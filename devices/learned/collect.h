// Adds a kernel that was analysed and measured on this machine to a data set.
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
  std::string kernel = {};         // which kernel of the analysis; empty: it has only one
};

/// Adds a kernel, from an analysis or a file of its features (docs/learned.md). Throws InputError
/// if its features have other definitions, a device is not in the data set, a time is not a
/// positive number, or the data set already has this kernel with this input.
void collect(DataSet* data, const std::filesystem::path& analysis, const MeasuredKernel& measured);

}  // namespace apmt::learned
