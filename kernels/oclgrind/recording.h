// The analysis of this process: the kernels of all its OpenCL programs as one Program, and the
// analysers that receive their events. Kernels of several contexts run one after another.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/analyser.h"
#include "kernels/program.h"
#include "kernels/runtime/settings.h"

namespace apmt::opencl {

class Recording {
 public:
  /// The recording of this process; nullptr: apmt analyze did not start this process. The recording
  /// is never destroyed, because the host program may run kernels until its end.
  static Recording* get();

  const kernels::Settings& settings() const { return settings_; }
  /// Whether events are analysed. false: this rank is not to be analysed, or an error occurred.
  bool is_on() const { return is_on_; }
  /// Ends the analysis of this process, and tells the user the reason. The process then writes no
  /// results.
  void turn_off(const std::string& reason);

  const kernels::Program& program() const { return program_; }
  struct Place {
    std::uint32_t first_block = 0, first_function = 0;
  };
  /// Appends a module to program(). Returns the indices of the module's first block and first
  /// function in program().
  Place add(const kernels::Program& module);

  void consume(std::span<const kernels::Word> words);

  void copied_to_device(std::uint64_t bytes) { to_device_ += bytes; }
  void copied_from_device(std::uint64_t bytes) { from_device_ += bytes; }

  /// Writes the results.
  void finish();

 private:
  explicit Recording(kernels::Settings settings);
  void begin_analysers();

  kernels::Settings settings_;
  long process_;
  bool is_on_;
  bool has_failed_ = false;
  bool is_begun_ = false;  // the analysers have begun with the current program_
  kernels::Program program_;
  std::vector<std::unique_ptr<kernels::Analyser>> analysers_;
  std::atomic<std::uint64_t> to_device_ = 0, from_device_ = 0;  // any thread of the host may copy
};

}  // namespace apmt::opencl
