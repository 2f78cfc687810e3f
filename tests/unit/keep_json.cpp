// Keeps a copy of the JSON documents that unit tests make in the folder that APMT_KEEP_JSON names,
// where the part `schemas` of tests/rest.sh validates them. This object defines format_json() in
// place of the library's, whose code it calls under another name.

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

/// A document states its format; those of speedscope and Hatchet have other marks. All else is a
/// part of one.
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
