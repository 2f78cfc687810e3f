// Finds modules that flang cannot read: gfortran's .mod files have a format of their own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace apmt {

/// Modules that a Fortran source uses, in lower case, once each.
std::vector<std::string> modules_used(std::string_view source);

/// Folders in which the compiler looks for modules: -I, -J and -module-dir.
std::vector<std::filesystem::path> module_folders(const std::vector<std::string>& arguments);

/// A module that one of the sources among the arguments uses and that gfortran wrote.
struct ForeignModule {
  std::string name;
  std::filesystem::path file;
  std::filesystem::path source;
};
std::optional<ForeignModule> foreign_module(const std::vector<std::string>& arguments);

}  // namespace apmt
