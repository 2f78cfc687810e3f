// The interface to a device that runs kernels on data in its own memory. There are implementations
// for OpenCL (opencl.h) and CUDA (cuda.h); accelerator_probe.h measures the card of a device
// through this interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace apmt::devices {

/// The source text of the kernels (kernels.cl). Each implementation defines the macros in it (the
/// words in capitals).
extern const char* const kAcceleratorKernels;
inline constexpr std::uint64_t kChunkElements = 4096;  // number of elements that a group reads
inline constexpr std::uint64_t kMostItems = 256;       // largest size of a group that adds up a sum

/// What the driver states about the device; a figure is 0 if the driver does not state it.
struct AcceleratorFacts {
  std::string name;
  std::string driver;  // "OpenCL driver 3.1+debian", "CUDA driver 12.4"
  std::string kind;    // as on a card
  bool has_double = true;
  std::uint64_t units = 1;       // compute units or multiprocessors
  std::uint64_t most_items = 1;  // of a group
  std::uint64_t frequency_hz = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t largest_buffer_bytes = 0;
  std::uint64_t cache_bytes = 0;  // of the last cache
  std::uint64_t local_bytes = 0;  // of the local memory that each unit has for its groups
  std::uint64_t line_bytes = 0;
  std::vector<int> lanes = {1};  // widths of vectors with which arithmetic is measured
  int read_lanes = 1;            // width of the vectors with which sums read their data
};

/// The type of the elements, and how many of them a vector has.
struct ElementType {
  bool is_double = true;
  int lanes = 1;
};

using Buffer = std::size_t;   // a number that allocate() gave
using Program = std::size_t;  // a number that compile() gave

struct Launch {
  std::string kernel;
  std::uint64_t items = 1;  // a multiple of `group_items`
  std::uint64_t items_y = 1;
  std::uint64_t group_items = 1;
  std::vector<Buffer> buffers = {};         // the first arguments
  std::vector<std::uint64_t> numbers = {};  // the other arguments
};

/// All functions throw InputError if the driver reports an error.
class Accelerator {
 public:
  virtual ~Accelerator() = default;
  virtual const AcceleratorFacts& facts() const = 0;
  virtual Program compile(const ElementType& type) = 0;
  virtual Buffer allocate(std::uint64_t bytes) = 0;
  virtual void release(Buffer buffer) = 0;
  /// write() and read() copy between the host and the start of a buffer; they return when the copy
  /// is complete.
  virtual void write(Buffer to, const void* from, std::uint64_t bytes) = 0;
  virtual void read(Buffer from, void* to, std::uint64_t bytes) = 0;
  /// Queues `times` launches, which run one after the other; finish() waits for them.
  virtual void launch(Program program, const Launch& launch, std::uint64_t times) = 0;
  virtual void finish() = 0;

  /// The seconds from the start of the first of `times` launches to the end of the last one.
  double seconds(Program program, const Launch& launch, std::uint64_t times);
};

/// Memory of an accelerator.
class DeviceMemory {
 public:
  DeviceMemory(Accelerator& device, std::uint64_t bytes)
      : device_(device), bytes_(bytes), buffer_(device.allocate(bytes)) {}
  ~DeviceMemory() { device_.release(buffer_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  Buffer buffer() const { return buffer_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Accelerator& device_;
  std::uint64_t bytes_;
  Buffer buffer_;
};

}  // namespace apmt::devices
