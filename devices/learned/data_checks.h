// Checks of a data set: missing values, values that a classifier cannot use, and values that would
// mislead it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/described_struct.h"
#include "devices/learned/data_set.h"

namespace apmt::learned {

struct DataFindings {
  std::string title;
  std::string definitions;  // "aiwc, version published-2018"
  int runs = 0;
  int kernels = 0;  // number of different pairs (application, kernel)
  int features = 0;
  int devices = 0;
  int distinct_features = 0;           // number of different vectors of features
  std::map<std::string, int> runs_of;  // number of runs by application
  std::vector<std::string> suites;
  std::map<std::string, int> missing;                  // number of runs without a value, by column
  std::vector<std::string> constant;                   // features with a single value
  std::vector<std::vector<std::string>> equal;         // groups of features, equal in every run
  std::vector<std::vector<std::string>> alike;         // groups of runs with the same features
  std::vector<std::vector<std::string>> repeated;      // groups of runs of one kernel and input
  std::vector<std::vector<std::string>> shared_times;  // groups of kernels with the same times
};

DataFindings check_data(const DataSet& data);

constexpr auto fields_of(Of<DataFindings>) {
  return std::tuple{field("title", &DataFindings::title),
                    field("definitions", &DataFindings::definitions),
                    field("runs", &DataFindings::runs),
                    field("kernels", &DataFindings::kernels),
                    field("features", &DataFindings::features),
                    field("devices", &DataFindings::devices),
                    field("distinct_features", &DataFindings::distinct_features),
                    field("runs_of", &DataFindings::runs_of),
                    field("suites", &DataFindings::suites),
                    field("missing", &DataFindings::missing),
                    field("constant", &DataFindings::constant),
                    field("equal", &DataFindings::equal),
                    field("alike", &DataFindings::alike),
                    field("repeated", &DataFindings::repeated),
                    field("shared_times", &DataFindings::shared_times)};
}

}  // namespace apmt::learned
