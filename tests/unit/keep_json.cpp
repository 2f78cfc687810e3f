// If APMT_KEEP_JSON names a folder, keeps a copy there of every JSON document that unit tests make;
// the part `schemas` of tests/rest.sh then validates the copies. For this, format_json() is defined
// here and replaces the library's function of this name, which it calls under another name.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#define format_json formatted
#include "base/format_json.cpp"
#undef format_json

namespace apmt {
namespace {

/// Whether the value is a document, not a part of one. A document states its format, or has a
/// member by which documents for speedscope ($schema) and Hatchet (graph) are known.
bool is_document(const Json& value) {
  return value.contains("format") || value.contains("$schema") || value.contains("graph");
}

}  // namespace

std::string format_json(const Json& value) {
  std::string text = formatted(value);
  const char* const folder = std::getenv("APMT_KEEP_JSON");
  if (folder == nullptr || !is_document(value)) return text;
  // Equal documents have one name, so that each is kept once.
  const std::size_t hash = std::hash<std::string>{}(text);
  const std::string name = folder + std::string("/unit-") + std::to_string(hash) + ".json";
  const std::string part = name + "." + std::to_string(::getpid());  // tests run at the same time
  std::ofstream(part) << text;
  std::rename(part.c_str(), name.c_str());
  return text;
}

}  // namespace apmt
