#include "profiler/reader/symbols.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <regex>
#include <vector>

#include "profiler/reader/hexadecimal.h"
#include "profiler/reader/unwind_bounds.h"

namespace apmt {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// The name of a source file, without its directory. SimGrid's Fortran compiler wrappers compile a
/// copy with a random name, such as cg.f_AbCdEfGhIj.f for cg.f; this returns cg.f.
std::string source_name(const std::string& path) {
  static const std::regex copy(R"((.+(\.[fF](?:90)?))_[A-Za-z0-9]{10}\2)");
  const std::string name = base_name(path);
  std::smatch parts;
  return std::regex_match(name, parts, copy) ? parts[1].str() : name;
}

/// A stand-in for a function without a name: "object+0x1234".
Function unknown(const std::string& path, const std::string& build_id, std::uint64_t address) {
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(address));
  const std::string object = path.empty() ? "[unknown]" : base_name(path);
  return {{object, object + offset, ""}, object + offset, build_id};
}

/// The functions of a compilation unit. In Fortran, functions are nested in modules and in each
/// other, and DWARF's address indexes omit nested ones. So this class visits all entries of the
/// unit, once.
class Subprograms {
 public:
  explicit Subprograms(Dwarf_Die* unit) { collect(unit, 0); }

  Dwarf_Die* at(Dwarf_Addr address) {
    for (Code& code : all_)
      if (address >= code.low && address < code.high) return &code.die;
    return nullptr;
  }

 private:
  struct Code {
    Dwarf_Addr low;
    Dwarf_Addr high;
    Dwarf_Die die;
  };

  void collect(Dwarf_Die* parent, int depth) {
    constexpr int kDeepest = 16;
    Dwarf_Die child;
    if (depth > kDeepest || dwarf_child(parent, &child) != 0) return;
    do {
      const int tag = dwarf_tag(&child);
      if (tag != DW_TAG_subprogram && tag != DW_TAG_module && tag != DW_TAG_namespace) continue;
      Dwarf_Addr base = 0, low = 0, high = 0;
      for (std::ptrdiff_t next = 0;
           tag == DW_TAG_subprogram && (next = dwarf_ranges(&child, next, &base, &low, &high)) > 0;)
        all_.push_back({low, high, child});
      collect(&child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  std::vector<Code> all_;
};

/// The functions that were inlined into `function` at `address`, outermost first.
std::vector<Dwarf_Die> inlined_into(Dwarf_Die function, Dwarf_Addr address) {
  std::vector<Dwarf_Die> inlined;
  for (bool deeper = true; deeper;) {
    deeper = false;
    Dwarf_Die child;
    if (dwarf_child(&function, &child) != 0) break;
    do {
      const int tag = dwarf_tag(&child);
      if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) ||
          dwarf_haspc(&child, address) != 1)
        continue;
      if (tag == DW_TAG_inlined_subroutine) inlined.push_back(child);
      function = child;
      deeper = true;
      break;
    } while (dwarf_siblingof(&child, &child) == 0);
  }
  return inlined;
}

/// The linkage name in a function's DWARF entry, or else its plain name. dwarf_attr_integrate also
/// finds the name of an inlined function, which is stored in another entry (DW_AT_abstract_origin).
/// The main program of Fortran gets the name that gfortran gives its symbol.
std::string linkage_name_of(Dwarf_Die* function) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(function, DW_AT_main_subprogram, &attribute) != nullptr) return "MAIN__";
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name})
    if (dwarf_attr_integrate(function, name, &attribute) != nullptr)
      if (const char* text = dwarf_formstring(&attribute)) return text;
  return {};
}

/// While an object of this class exists, the environment variable DEBUGINFOD_URLS is not set, so
/// libdwfl asks no server for missing files; on a node without a network it would wait for an
/// answer. The destructor sets the variable again, for programs that apmt starts.
class WithoutServers {
 public:
  WithoutServers() {
    const char* const urls = std::getenv(kVariable);
    if (urls == nullptr) return;
    urls_ = urls;
    ::unsetenv(kVariable);
  }
  ~WithoutServers() {
    if (urls_) ::setenv(kVariable, urls_->c_str(), 1);
  }
  WithoutServers(const WithoutServers&) = delete;
  WithoutServers& operator=(const WithoutServers&) = delete;

 private:
  static constexpr const char* kVariable = "DEBUGINFOD_URLS";
  std::optional<std::string> urls_;
};

int find_debuginfo(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base,
                   const char* file, const char* link, GElf_Word crc, char** found) {
  const WithoutServers here;
  return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

/// Searches for separate debug information in the folder .debug next to the object, in
/// /usr/lib/debug, and in the folders of APMT_DEBUG_PATH.
const Dwfl_Callbacks* callbacks() {
  static std::string path;
  const char* more = std::getenv("APMT_DEBUG_PATH");
  path = (more == nullptr ? std::string() : std::string(more)) + ":.debug:/usr/lib/debug";
  static char* path_text = nullptr;
  path_text = path.data();
  static const Dwfl_Callbacks all = {.find_elf = dwfl_build_id_find_elf,
                                     .find_debuginfo = find_debuginfo,
                                     .section_address = dwfl_offline_section_address,
                                     .debuginfo_path = &path_text};
  return &all;
}

/// One object file, opened.
class Object {
 public:
  Object(const std::string& path, const std::string& build_id) : dwfl_(dwfl_begin(callbacks())) {
    if (dwfl_ == nullptr) return;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
      problem_ = "the file no longer exists";
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
    if (Elf* elf = dwfl_module_getelf(module_, &elf_bias)) bounds_ = UnwindBounds(elf);
    bias_ = elf_bias;
    const unsigned char* bits = nullptr;
    GElf_Addr where = 0;
    const int length = dwfl_module_build_id(module_, &bits, &where);
    if (length > 0 && !build_id.empty() &&
        hexadecimal(bits, static_cast<std::size_t>(length)) != build_id) {
      problem_ = "the file was rebuilt after the recording";
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
    // libdwfl returns the nearest symbol below the address. In stripped objects this symbol may be
    // that of another function: the address may lie beyond the symbol's end or, if the symbol has
    // no size, a function without a symbol may begin between symbol and address.
    const std::optional<std::uint64_t> begin = bounds_.begin_of(address);
    const bool is_named =
        name != nullptr &&
        (symbol.st_size != 0 ? offset < symbol.st_size : !begin || address - offset >= *begin);
    if (!is_named) return begin ? std::optional(unknown(path, build_id, *begin)) : std::nullopt;
    Function f;
    f.id = {base_name(path), without_clone_suffix(name), source_at(address + bias_ - offset)};
    f.name = demangled(f.id.linkage_name);
    f.build_id = build_id;
    return f;
  }

  Place place_at(std::uint64_t address) {
    Place place;
    if (module_ == nullptr) return place;
    int line = 0;
    if (Dwfl_Line* at = dwfl_module_getsrc(module_, address + bias_))
      if (const char* file = dwfl_lineinfo(at, nullptr, &line, nullptr, nullptr, nullptr)) {
        place.source = source_name(file);
        place.line = line;
      }
    if (const auto names = inlined_at(address); !names.empty())
      place.inlined = demangled(names.back());
    return place;
  }

  std::vector<std::string> inlined_at(std::uint64_t address) {
    std::vector<std::string> names;
    if (module_ == nullptr) return names;
    Dwarf_Addr bias = 0;
    if (Dwarf_Die* function = subprogram_at(address + bias_, &bias))
      for (Dwarf_Die& inlined : inlined_into(*function, address + bias_ - bias))
        if (std::string name = linkage_name_of(&inlined); !name.empty())
          names.push_back(std::move(name));
    return names;
  }

  const std::string& problem() const { return problem_; }

 private:
  /// The DWARF entry of the function at `address`. Subtract `bias` from an address to compare it
  /// with the entry's address ranges.
  Dwarf_Die* subprogram_at(Dwarf_Addr address, Dwarf_Addr* bias) {
    Dwarf_Die* unit = dwfl_module_addrdie(module_, address, bias);
    if (unit == nullptr) return nullptr;
    return units_.try_emplace(dwarf_dieoffset(unit), unit).first->second.at(address - *bias);
  }

  /// The source file, without directory, of the function that begins at `begin`. It is looked up at
  /// the function's first address, because code inlined further down comes from other source files.
  const std::string& source_at(Dwarf_Addr begin) {
    const auto [it, is_new] = sources_.try_emplace(begin);
    Dwarf_Addr bias = 0;
    if (!is_new) return it->second;
    if (Dwarf_Die* function = subprogram_at(begin, &bias))
      if (const char* file = dwarf_decl_file(function)) it->second = source_name(file);
    return it->second;
  }

  std::map<Dwarf_Addr, std::string> sources_;  // by a function's first address
  std::map<Dwarf_Off, Subprograms> units_;
  Dwfl* dwfl_;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;
  UnwindBounds bounds_;
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

Place Symbols::place_at(const std::string& path, const std::string& build_id,
                        std::uint64_t address) {
  const auto object = impl_->objects.find(path + "\n" + build_id);
  return object == impl_->objects.end() ? Place() : object->second->place_at(address);
}

std::vector<std::string> Symbols::inlined_at(const std::string& path, const std::string& build_id,
                                             std::uint64_t address) {
  const auto object = impl_->objects.find(path + "\n" + build_id);
  return object == impl_->objects.end() ? std::vector<std::string>()
                                        : object->second->inlined_at(address);
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
  // A bare "f" is a C function of that name, but the demangler would read it as the type float.
  if (!linkage_name.starts_with("_Z") && !linkage_name.starts_with("_GLOBAL_")) return linkage_name;
  int status = 0;
  char* name = abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status);
  const std::string out = status == 0 && name != nullptr ? name : linkage_name;
  std::free(name);
  return out;
}

}  // namespace apmt
