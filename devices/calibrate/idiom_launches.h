// The eight idioms as kernels on an accelerator: each pass is a launch.
#pragma once

#include "devices/calibrate/accelerator.h"
#include "devices/calibrate/idioms.h"

namespace apmt::devices {

/// Executes passes in `memory`, which must hold the data of the largest pass.
class IdiomLaunches : public IdiomRunner {
 public:
  IdiomLaunches(Accelerator& device, DeviceMemory& memory, bool is_double);

  /// The number of workers among which the rows of a matrix product are divided. (Of a large
  /// product, each worker computes only a few rows.) It is larger than the number of units, so that
  /// every unit has rows to compute.
  std::uint64_t workers() const override { return 4 * device_.facts().units; }
  std::uint64_t element_bytes() const override { return is_double_ ? 8 : 4; }
  void prepare(const IdiomPass& pass) override;
  double seconds(std::uint64_t passes) override;

  /// The launch that reads `elements` elements and adds them up, `passes` times.
  Launch read(std::uint64_t elements, std::uint64_t passes) const;
  Program program() const { return program_; }

 private:
  Launch each_element(const char* kernel, std::uint64_t items) const;

  Accelerator& device_;
  DeviceMemory& memory_;
  bool is_double_;
  Program program_;
  std::uint64_t sum_items_;  // work-items of a group that adds up a sum
  DeviceMemory sums_;
  Launch launch_;
};

}  // namespace apmt::devices
