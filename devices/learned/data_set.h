// The training data: kernels, their features, and the times of their ports on devices. Also reads
// and writes the file (docs/learned.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/described_struct.h"

namespace apmt::learned {

struct FeatureDefinition {
  std::string name;
  /// If set, learners use log2 of the value, and log2 of this floor for smaller values. If absent,
  /// they use the value itself.
  std::optional<double> log_floor;
};

/// The definitions of the features. Features whose definitions have different names or versions are
/// never compared.
struct FeatureDefinitions {
  std::string name;
  std::string version;
  std::vector<FeatureDefinition> features;
};

struct KnownDevice {
  std::string name;
  std::string kind;                             // "cpu", "gpu", "accelerator"
  std::optional<double> bandwidth_bytes_per_s;  // of its memory, nominal
};

struct DataHead {
  std::string title;
  std::string source;
  std::string licence;
  std::string notice;
  std::string reference;  // the device to which speed-ups are relative
  FeatureDefinitions definitions;
  std::vector<KnownDevice> devices;
};

/// A kernel with one input.
struct KernelRun {
  std::string application;
  std::string kernel;
  std::string input;
  std::string suite;
  std::vector<std::optional<double>> features;  // one for each definition
  std::vector<std::optional<double>> times_s;   // one for each device
};

struct DataSet {
  DataHead head;
  std::vector<KernelRun> runs;

  /// Throws InputError if there is no such device.
  std::size_t device_index(const std::string& name) const;
  std::size_t reference_index() const { return device_index(head.reference); }
};

/// "lud/lud_diagonal/tiny"
std::string title_of(const KernelRun& run);

/// Throws InputError, with file and line, for text instead of a number, a number that is not
/// finite, a time not above zero, a column that the head of the file does not describe, or fewer
/// runs than `least_runs`.
DataSet read_data_set(const std::filesystem::path& file, std::size_t least_runs = 1);
DataSet parse_data_set(const std::string& text, const std::string& name,
                       std::size_t least_runs = 1);
std::string to_text(const DataSet& data);

/// Throws InputError unless both definitions have the same name, version and features.
void require_same_definitions(const FeatureDefinitions& known, const FeatureDefinitions& met,
                              const std::string& where);

/// The runs of all sets together, on the devices that occur in any set. Throws InputError if
/// definitions or reference devices differ.
DataSet joined(std::vector<DataSet> sets);

inline constexpr const char* kDeviceKinds[] = {"cpu", "gpu", "accelerator"};

constexpr auto fields_of(Of<FeatureDefinition>) {
  return std::tuple{field("name", &FeatureDefinition::name).holds("the name of a feature"),
                    field("log_floor", &FeatureDefinition::log_floor)
                        .omitted_when([](const FeatureDefinition& f) { return !f.log_floor; })};
}

constexpr auto fields_of(Of<FeatureDefinitions>) {
  return std::tuple{
      field("name", &FeatureDefinitions::name).holds("the name of the definitions"),
      field("version", &FeatureDefinitions::version).holds("the version of the definitions"),
      field("features", &FeatureDefinitions::features)};
}

constexpr auto fields_of(Of<KnownDevice>) {
  return std::tuple{field("name", &KnownDevice::name).holds("the name of a device"),
                    field("kind", &KnownDevice::kind).one_of(kDeviceKinds),
                    field("bandwidth_bytes_per_s", &KnownDevice::bandwidth_bytes_per_s)
                        .omitted_when([](const KnownDevice& d) { return !d.bandwidth_bytes_per_s; })
                        .at_least(1)};
}

constexpr auto fields_of(Of<DataHead>) {
  return std::tuple{field("title", &DataHead::title),
                    field("source", &DataHead::source).holds("where the data come from"),
                    field("licence", &DataHead::licence).holds("the licence of the data"),
                    field("notice", &DataHead::notice),
                    field("reference", &DataHead::reference).holds("the name of a device"),
                    field("definitions", &DataHead::definitions),
                    field("devices", &DataHead::devices)};
}

}  // namespace apmt::learned
