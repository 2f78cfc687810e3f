// What a program or library says of itself without being run.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

struct ObjectFile {
  bool is_program_code = false;  // a 64-bit ELF file
  std::string loader;            // the dynamic loader that it names
  std::string build_id;          // that the linker gave to it, hexadecimal
};

/// All empty for what is no such file or cannot be read.
ObjectFile read_object_file(const std::filesystem::path& path);

}  // namespace apmt
