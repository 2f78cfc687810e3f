// Reads properties of a program or library from its file, without running it.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

struct ObjectFile {
  bool is_program_code = false;  // a 64-bit ELF file
  std::string loader;            // path of the dynamic loader that the file asks for
  std::string build_id;          // written by the linker; hexadecimal
};

/// All members are empty if the file cannot be read or is not a 64-bit ELF file.
ObjectFile read_object_file(const std::filesystem::path& path);

}  // namespace apmt
