// `apmt match`: predicts the times of an analysis's kernels on several devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "devices/estimate.h"
#include "devices/program_idioms.h"
#include "devices/split.h"

namespace apmt::devices {

enum class MatchMethod { kAutomatch, kApmt, kPmac };
inline constexpr const char* kMatchMethods[] = {"automatch", "apmt", "pmac"};

struct MatchOptions {
  MatchMethod method = MatchMethod::kApmt;
  DataPlace data = DataPlace::kResident;
  std::optional<double> vectorised;    // assumed share of floating-point operations (--vectorised)
  std::optional<double> scatter = {};  // assumed scatter of measured / predicted times (--scatter)
  std::optional<double> steps = {};    // time steps of the program, for DataPlace::kPerStep
  // By PMaC's method only:
  bool do_overlap = false;             // transfers overlap with the work of the device
  std::optional<IdiomHost> host = {};  // for Match::program_idioms

  /// Scatter of ln(measured / predicted time) between devices, from which the probabilities are
  /// calculated; nothing if it is neither assumed nor measured for this method.
  std::optional<double> method_scatter() const;
};

/// The times of an idiom on each of the devices.
struct IdiomMatch {
  IdiomBlock block;
  std::vector<std::optional<double>> seconds;  // in the order of Match::devices

  /// The index of the fastest device; nothing if no device has a time.
  std::optional<std::size_t> best() const;
};

struct KernelMatch {
  std::string function;
  std::string name;
  std::string place;
  double invocations = 0;
  double flops = 0;
  /// The fastest first, then those whose time lacks a cost (DevicePrediction::lacks), then those
  /// without a time.
  std::vector<DevicePrediction> predictions;
  std::vector<IdiomMatch> idioms;  // by PMaC's method
  std::optional<Split> split;      // among the ranked predictions, if there are at least two

  /// Floating-point operations per second if the predicted time is reached; nothing if the kernel
  /// has no such operations or the prediction has no time.
  std::optional<double> flops_per_s(std::size_t prediction) const;
  /// The prediction's time divided by the time on the fastest device; nothing if it is not ranked.
  std::optional<double> relative_cost(std::size_t prediction) const;
  std::size_t timed() const;   // how many predictions have a time
  std::size_t ranked() const;  // how many of these lack no cost, so that they can be compared
  /// Whether the ranges of two predictions overlap, so that it is open which one is faster.
  bool is_open(std::size_t a, std::size_t b) const;
};

struct Match {
  std::string program;
  MatchOptions options;
  std::vector<Device> devices;
  std::vector<KernelMatch> kernels;
  std::optional<ProgramIdioms> program_idioms = {};  // with MatchOptions::host, if there are idioms
};

/// Throws InputError if the analysis has no kernel, if two devices have the same name, or if the
/// options do not go together.
Match match(const kernels::Analysis& analysis, const std::vector<Device>& devices,
            const MatchOptions& options);

Json to_json(const Match& match);

}  // namespace apmt::devices
