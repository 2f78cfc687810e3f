// The part of the OpenCL interface that apmt uses. The names and numbers of the standard (version
// 1.2) are repeated here, so that apmt can be built without the OpenCL headers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/calibrate/driver_library.h"

namespace apmt::devices::opencl {

using Code = std::int32_t;
using Flags = std::uint64_t;
using Word = std::uint32_t;
using Platform = struct PlatformOfOpenCl*;
using DeviceId = struct DeviceOfOpenCl*;
using Context = struct ContextOfOpenCl*;
using Queue = struct QueueOfOpenCl*;
using ProgramOf = struct ProgramOfOpenCl*;
using Kernel = struct KernelOfOpenCl*;
using Memory = struct MemoryOfOpenCl*;

inline constexpr Code kSuccess = 0, kNoDevice = -1, kNoPlatform = -1001, kBuildFailed = -11;
inline constexpr Word kTrue = 1;
inline constexpr Flags kTypeCpu = 2, kTypeGpu = 4, kTypeAll = 0xFFFFFFFF, kReadWrite = 1;
inline constexpr Word kDeviceType = 0x1000, kComputeUnits = 0x1002, kMostItems = 0x1004,
                      kFrequencyMhz = 0x100C, kLargestBuffer = 0x1010, kLineBytes = 0x101D,
                      kCacheBytes = 0x101E, kMemoryBytes = 0x101F, kLocalType = 0x1022,
                      kLocalBytes = 0x1023, kDeviceName = 0x102B, kDriverVersion = 0x102D,
                      kDoubleConfig = 0x1032, kBuildLog = 0x1183;
inline constexpr Word kDedicated = 1;  // a type of local memory

struct Calls {
  explicit Calls(const DriverLibrary& library);

  Code (*get_platforms)(Word, Platform*, Word*);
  Code (*get_devices)(Platform, Flags, Word, DeviceId*, Word*);
  Code (*get_device)(DeviceId, Word, std::size_t, void*, std::size_t*);
  Context (*create_context)(const std::intptr_t*, Word, const DeviceId*,
                            void (*)(const char*, const void*, std::size_t, void*), void*, Code*);
  Code (*release_context)(Context);
  Queue (*create_queue)(Context, DeviceId, Flags, Code*);
  Code (*release_queue)(Queue);
  ProgramOf (*create_program)(Context, Word, const char**, const std::size_t*, Code*);
  Code (*build)(ProgramOf, Word, const DeviceId*, const char*, void (*)(ProgramOf, void*), void*);
  Code (*get_build)(ProgramOf, DeviceId, Word, std::size_t, void*, std::size_t*);
  Code (*release_program)(ProgramOf);
  Kernel (*create_kernel)(ProgramOf, const char*, Code*);
  Code (*set_argument)(Kernel, Word, std::size_t, const void*);
  Code (*release_kernel)(Kernel);
  Memory (*create_buffer)(Context, Flags, std::size_t, void*, Code*);
  Code (*release_memory)(Memory);
  Code (*write)(Queue, Memory, Word, std::size_t, std::size_t, const void*, Word, const void*,
                void*);
  Code (*read)(Queue, Memory, Word, std::size_t, std::size_t, void*, Word, const void*, void*);
  Code (*launch)(Queue, Kernel, Word, const std::size_t*, const std::size_t*, const std::size_t*,
                 Word, const void*, void*);
  Code (*finish)(Queue);
};

}  // namespace apmt::devices::opencl
