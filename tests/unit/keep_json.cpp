// If APMT_KEEP_JSON names a folder, keeps a copy there of every JSON document that unit tests make;
// the part `schemas` of tests/rest.sh then validates the copies. To make the copies, this file
// defines format_json() in place of the library's function of the same name. The library's code is
// included below under the name formatted().

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

/// Whether the value is a document, not a part of one. A document states its format; documents for
/// speedscope and Hatchet have a member $schema or graph instead. A JSON schema is no document.
bool is_document(const Json& value) {
  if (value.contains("$schema"))
    return value.at("$schema") != "https://json-schema.org/draft/2020-12/schema";
  return value.contains("format") || value.contains("graph");
}

}  // namespace

std::string format_json(const Json& value) {
  std::string text = formatted(value);
  const char* const folder = std::getenv("APMT_KEEP_JSON");
  if (folder == nullptr || !is_document(value)) return text;
  // Equal documents get the same name, so each is kept only once.
  const std::size_t hash = std::hash<std::string>{}(text);
  const std::string name = folder + std::string("/unit-") + std::to_string(hash) + ".json";
  const std::string part = name + "." + std::to_string(::getpid());  // tests run at the same time
  std::ofstream(part) << text;
  std::rename(part.c_str(), name.c_str());
  return text;
}

}  // namespace apmt
