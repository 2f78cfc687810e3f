// Reads properties of a program or library from its file, without running it.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

struct ObjectFile {
  bool is_program_code = false;  // a 64-bit ELF file
  std::string loader;            // the dynamic loader that it names
  std::string build_id;          // the build id that the linker gave it, hexadecimal
};

/// All fields are empty for a file that is not such an object or cannot be read.
ObjectFile read_object_file(const std::filesystem::path& path);

}  // namespace apmt
