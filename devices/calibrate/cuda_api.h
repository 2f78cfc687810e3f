// The part that apmt uses of CUDA's driver interface and of NVRTC, CUDA's compiler. The names and
// numbers of these documented interfaces are repeated here, so that apmt can be built without CUDA.
#pragma once

#include <cstddef>

#include "devices/calibrate/driver_library.h"

namespace apmt::devices::cuda {

using Code = int;
using DeviceNumber = int;
using Address = unsigned long long;
using Context = struct ContextOfCuda*;
using Module = struct ModuleOfCuda*;
using Function = struct FunctionOfCuda*;
using Stream = struct StreamOfCuda*;
using Source = struct ProgramOfNvrtc*;

inline constexpr Code kSuccess = 0;
inline constexpr int kMostItems = 1, kClockKhz = 13, kMultiprocessors = 16, kCacheBytes = 38,
                     kMajor = 75, kMinor = 76, kSharedBytes = 81;

struct DriverCalls {
  explicit DriverCalls(const DriverLibrary& library);

  Code (*init)(unsigned);
  Code (*driver_version)(int*);
  Code (*device_count)(int*);
  Code (*device)(DeviceNumber*, int);
  Code (*device_name)(char*, int, DeviceNumber);
  Code (*attribute)(int*, int, DeviceNumber);
  Code (*total_memory)(std::size_t*, DeviceNumber);
  Code (*retain_context)(Context*, DeviceNumber);
  Code (*release_context)(DeviceNumber);
  Code (*set_context)(Context);
  Code (*memory_info)(std::size_t*, std::size_t*);
  Code (*allocate)(Address*, std::size_t);
  Code (*release)(Address);
  Code (*copy_to)(Address, const void*, std::size_t);
  Code (*copy_from)(void*, Address, std::size_t);
  Code (*load)(Module*, const void*);
  Code (*unload)(Module);
  Code (*function)(Function*, Module, const char*);
  Code (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 Stream, void**, void**);
  Code (*synchronise)();
  Code (*error_text)(Code, const char**);
};

struct CompilerCalls {
  explicit CompilerCalls(const DriverLibrary& library);

  Code (*create)(Source*, const char*, const char*, int, const char* const*, const char* const*);
  Code (*compile)(Source, int, const char* const*);
  Code (*code_size)(Source, std::size_t*);
  Code (*code)(Source, char*);
  Code (*log_size)(Source, std::size_t*);
  Code (*log)(Source, char*);
  Code (*destroy)(Source*);
};

}  // namespace apmt::devices::cuda
