#include "base/source_function.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace apmt {
namespace {

constexpr const char* kMainProgram = "main program";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// In a linkage name, everything from one of these marks on was added by the compiler or linker.
/// Names in C, C++ and Fortran contain neither a dot nor "@". ("@" begins the version of a symbol.)
constexpr std::array kMarks = {
    // clones of gcc and clang
    ".isra.", ".part.", ".constprop.", ".cold", ".clone.", ".lto_priv.", ".localalias",
    ".specialized.", ".llvm.", ".__uniq.", ".argprom", ".argelim", ".unlikely", ".resolver",
    ".ifunc", ".default", ".arch_", ".avx", ".sse", ".extracted",
    // parallel loops, regions and tasks of gcc, clang and flang
    "._omp_fn.", "._omp_cpyfn.", "._loopfn.", ".omp_outlined", "..omp_par", ".omp_par",
    ".omp_task_entry", ".omp_combiner", ".omp.reduction", ".omp_task",
    // versions of symbols
    "@"};

std::string_view without_suffixes(std::string_view name) {
  std::size_t end = name.size();
  for (const char* mark : kMarks)
    if (const std::size_t at = name.find(mark, 1); at != std::string_view::npos)
      end = std::min(end, at);
  name = name.substr(0, end);
  // Compilers name some static and nested functions "work.0": remove the number.
  std::size_t last = name.size();
  while (last > 0 && is_digit(name[last - 1])) --last;
  if (last > 1 && last < name.size() && name[last - 1] == '.') name = name.substr(0, last - 1);
  return name;
}

std::string_view last_part(std::string_view name) {
  const std::size_t at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

SourceFunction fortran(std::string name) {
  std::string simple(last_part(name));
  return {std::move(name), std::move(simple)};
}

/// "__mod_MOD_work" becomes mod::work, "__mod.sub_MOD_work" (in a submodule) mod.sub::work. Returns
/// an empty text for all other names.
std::string of_gfortran(std::string_view name) {
  constexpr std::string_view kModule = "_MOD_";
  const std::size_t at = name.find(kModule);
  if (!name.starts_with("__") || at == std::string_view::npos || at == 2) return {};
  std::string text(name.substr(2, at - 2));
  return text.append("::").append(name.substr(at + kModule.size()));
}

/// "_QMmodSsubFhostPwork" is mod.sub::host::work: a capital letter states the kind of the name that
/// follows it in lower case. Returns an empty text for names that are not flang's.
std::string of_flang(std::string_view name) {
  if (!name.starts_with("_Q") || name.size() < 4) return {};
  std::string text;
  bool has_procedure = false;
  for (std::size_t at = 2; at < name.size();) {
    const char kind = name[at++];
    std::size_t end = at;
    while (end < name.size() && (name[end] < 'A' || name[end] > 'Z')) ++end;
    if (end == at || std::string_view("MSFP").find(kind) == std::string_view::npos) return {};
    if (!text.empty()) text.append(kind == 'S' ? "." : "::");
    text.append(name.substr(at, end - at));
    has_procedure = kind == 'P' || kind == 'F';
    at = end;
  }
  return has_procedure ? text : std::string();
}

std::string demangled(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

/// "halo::(anonymous namespace)::work(double (*) [4])" is work. `readable` without its scope, its
/// parameters and the arguments and the type of a template. Names of operators, whose marks have
/// another meaning, and of functions inside functions stay whole.
std::string simple_name(const std::string& readable) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string text = readable;
  for (std::size_t at = 0; (at = text.find(kAnonymous, at)) != std::string::npos;)
    text.erase(at, kAnonymous.size());
  std::size_t begin = 0;
  int nested = 0;  // in arguments of templates, or in tags such as [abi:cxx11]
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (at == begin && text.compare(at, 8, "operator") == 0) return readable;
    nested += (c == '<' || c == '[') - (c == '>' || c == ']');
    if (nested > 0) continue;
    if (c == ':' || c == ' ') begin = at + 1;
    if (c != '(') continue;
    if (text.find(")::", at) != std::string::npos) return readable;
    const std::string name = text.substr(begin, at - begin);
    return name.substr(0, name.find_first_of("<["));
  }
  return readable;
}

}  // namespace

SourceFunction source_function(const std::string& linkage_name) {
  const std::string name(without_suffixes(linkage_name));
  if (name == "MAIN__" || name == "_QQmain") return {kMainProgram, kMainProgram};
  if (std::string module_procedure = of_gfortran(name); !module_procedure.empty())
    return fortran(std::move(module_procedure));
  if (std::string procedure = of_flang(name); !procedure.empty()) {
    // "_QPwork" is flang's internal name of an external procedure. The symbol of the procedure is
    // "work_", with flang as with gfortran.
    if (name.starts_with("_QP")) procedure += '_';
    return fortran(std::move(procedure));
  }
  if (!name.starts_with("_Z")) return {name, name};
  std::string readable = demangled(name);
  std::string simple = simple_name(readable);
  return {std::move(readable), std::move(simple)};
}

}  // namespace apmt
