#include "kernels/function_names.h"

#include <cxxabi.h>

#include <cstdlib>

namespace apmt::kernels {
namespace {

std::string demangled(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (!text) return name;
  std::string result = text;
  std::free(text);
  return result;
}

}  // namespace

bool is_named(const std::string& linkage_name, const std::string& source_name,
              const std::string& wanted) {
  if (wanted == linkage_name || wanted == source_name) return true;
  const std::string full = demangled(linkage_name);
  return full == wanted || full.substr(0, full.find('(')) == wanted;
}

}  // namespace apmt::kernels
