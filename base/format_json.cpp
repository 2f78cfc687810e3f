#include "base/checked_json.h"

namespace apmt {
namespace {

bool is_flat(const Json& value) {
  for (const Json& element : value)
    if (element.is_structured()) return false;
  return true;
}

/// The value as JSON on one line. Names come from profiled programs and may hold any bytes, so
/// bytes that are not UTF-8 are replaced instead of raising an error.
std::string text_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Flat arrays stand on one line, and so do flat objects in a list: a list has a line an item.
void print(const Json& value, std::string& out, const std::string& indent, bool in_list) {
  if (!value.is_structured() || value.empty() ||
      ((value.is_array() || in_list) && is_flat(value))) {
    out += text_of(value);
    return;
  }
  const std::string deeper = indent + "  ";
  const bool object = value.is_object();
  out += object ? "{\n" : "[\n";
  bool first = true;
  for (const auto& [key, element] : value.items()) {
    if (!first) out += ",\n";
    first = false;
    out += deeper;
    if (object) out += text_of(Json(key)) + ": ";
    print(element, out, deeper, !object);
  }
  out += "\n" + indent + (object ? "}" : "]");
}

}  // namespace

std::string format_json(const Json& value) {
  std::string out;
  print(value, out, "", false);
  out += "\n";
  return out;
}

}  // namespace apmt
