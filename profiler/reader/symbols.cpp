#include "profiler/reader/symbols.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "profiler/reader/hexadecimal.h"

namespace apmt {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// "object+0x1234"
Function unknown(const std::string& path, const std::string& build_id, std::uint64_t address) {
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(address));
  const std::string object = path.empty() ? "[unknown]" : base_name(path);
  return {{object, object + offset, ""}, object + offset, build_id};
}

/// Source file, without directory, in which the function that begins at `address` was declared.
/// Asked of the beginning, because code that was inlined further down has sources of its own.
std::string source_of(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
  if (unit == nullptr) return {};
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes(unit, address - bias, &scopes);
  std::string source;
  for (int i = 0; i < count; ++i)
    if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
      if (const char* file = dwarf_decl_file(&scopes[i])) source = base_name(file);
  std::free(scopes);
  return source;
}

const char* debug_info_path = nullptr;

const Dwfl_Callbacks kCallbacks = {.find_elf = dwfl_build_id_find_elf,
                                   .find_debuginfo = dwfl_standard_find_debuginfo,
                                   .section_address = dwfl_offline_section_address,
                                   .debuginfo_path = const_cast<char**>(&debug_info_path)};

/// One object file, opened.
class Object {
 public:
  Object(const std::string& path, const std::string& build_id) : dwfl_(dwfl_begin(&kCallbacks)) {
    if (dwfl_ == nullptr) return;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
      problem_ = "the file is not there any more";
      return;
    }
    dwfl_report_begin(dwfl_);
    module_ = dwfl_report_offline(dwfl_, path.c_str(), path.c_str(), -1);
    dwfl_report_end(dwfl_, nullptr, nullptr);
    if (module_ == nullptr) {
      problem_ = std::string("cannot be read: ") + dwfl_errmsg(-1);
      return;
    }
    Dwarf_Addr elf_bias = 0;
    dwfl_module_getelf(module_, &elf_bias);
    bias_ = elf_bias;
    const unsigned char* bits = nullptr;
    GElf_Addr where = 0;
    const int length = dwfl_module_build_id(module_, &bits, &where);
    if (length > 0 && !build_id.empty() &&
        hexadecimal(bits, static_cast<std::size_t>(length)) != build_id) {
      problem_ = "the file was rebuilt since it was recorded";
      module_ = nullptr;
    }
  }
  ~Object() {
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  std::optional<Function> function_at(const std::string& path, const std::string& build_id,
                                      std::uint64_t address) {
    if (module_ == nullptr) return std::nullopt;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name =
        dwfl_module_addrinfo(module_, address + bias_, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name == nullptr) return std::nullopt;
    // Beyond the end of a sized symbol lies code that the table does not name.
    if (symbol.st_size != 0 && offset >= symbol.st_size) return std::nullopt;
    Function f;
    f.id = {base_name(path), without_clone_suffix(name), source_at(address + bias_ - offset)};
    f.name = demangled(f.id.linkage_name);
    f.build_id = build_id;
    return f;
  }

  const std::string& problem() const { return problem_; }

 private:
  const std::string& source_at(Dwarf_Addr begin) {
    const auto [it, is_new] = sources_.try_emplace(begin);
    if (is_new) it->second = source_of(module_, begin);
    return it->second;
  }

  std::map<Dwarf_Addr, std::string> sources_;  // by a function's first address
  Dwfl* dwfl_;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;
  std::string problem_;
};

}  // namespace

struct Symbols::Impl {
  std::map<std::string, std::unique_ptr<Object>> objects;  // by path and build id
  std::map<std::string, std::string> problems;
};

Symbols::Symbols() : impl_(std::make_unique<Impl>()) {}
Symbols::~Symbols() = default;

Function Symbols::function_at(const std::string& path, const std::string& build_id,
                              std::uint64_t address) {
  if (path.empty()) return unknown(path, build_id, address);
  if (path.find("vdso") != std::string::npos) return {{"[vdso]", "[vdso]", ""}, "[vdso]", ""};
  auto& object = impl_->objects[path + "\n" + build_id];
  if (object == nullptr) {
    object = std::make_unique<Object>(path, build_id);
    if (!object->problem().empty()) impl_->problems[path] = object->problem();
  }
  const auto found = object->function_at(path, build_id, address);
  return found ? *found : unknown(path, build_id, address);
}

const std::map<std::string, std::string>& Symbols::problems() const { return impl_->problems; }

std::string without_clone_suffix(const std::string& linkage_name) {
  static const std::array<const char*, 6> suffixes = {".isra.", ".part.",  ".constprop.",
                                                      ".cold",  ".clone.", ".lto_priv."};
  std::size_t end = linkage_name.size();
  for (const char* suffix : suffixes) end = std::min(end, linkage_name.find(suffix));
  return linkage_name.substr(0, end);
}

std::string demangled(const std::string& linkage_name) {
  if (linkage_name.starts_with("__") && linkage_name.find("_MOD_") != std::string::npos) {
    const std::size_t at = linkage_name.find("_MOD_");
    return linkage_name.substr(2, at - 2) + "::" + linkage_name.substr(at + 5);
  }
  int status = 0;
  char* name = abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status);
  const std::string out = status == 0 && name != nullptr ? name : linkage_name;
  std::free(name);
  return out;
}

}  // namespace apmt
