// Finds functions and source lines of code addresses in object files, with elfutils.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// A function in the machine code. Functions that were inlined into it count as part of it.
struct Function {
  KernelId id;
  std::string name;      // demangled
  std::string build_id;  // of its object
};

/// A source line, and the function that was inlined there.
struct Place {
  std::string inlined;  // demangled name of the innermost function; empty: the function's own code
  std::string source;   // file without directory, empty when unknown
  int line = 0;         // 0: unknown
  auto operator<=>(const Place&) const = default;
};

/// Looks functions up in the object files that recordings name. Opens every file once.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// The function at `address` (run-time address minus bias) according to the object's symbol
  /// table. It is named "object+0x1234" if the file is gone, was rebuilt, or has no function there.
  Function function_at(const std::string& path, const std::string& build_id, std::uint64_t address);

  /// The source of the code at `address`, in an object that function_at() has opened before.
  Place place_at(const std::string& path, const std::string& build_id, std::uint64_t address);

  /// The functions inlined at `address`, from the outermost to the innermost: linkage names, or
  /// plain names of functions that have no linkage name. The object must have been opened by
  /// function_at().
  std::vector<std::string> inlined_at(const std::string& path, const std::string& build_id,
                                      std::uint64_t address);

  /// Objects that could not be used, with the reason, one line each.
  const std::map<std::string, std::string>& problems() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Turns "solve.isra.0" into "solve": a clone that the compiler made of a function counts as that
/// function.
std::string without_clone_suffix(const std::string& linkage_name);

/// A readable name: C++ names are demangled, Fortran module procedures become module::procedure.
std::string demangled(const std::string& linkage_name);

}  // namespace apmt
