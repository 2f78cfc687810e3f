// Changes JSON and keeps its syntax valid: removes or duplicates a member, replaces a value with a
// copy of another value or with an extreme value, or changes a number. If random bytes were
// changed, the parser would reject nearly every large file.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace apmt::fuzz {

using Json = nlohmann::json;

inline void collect(Json& value, std::vector<Json*>* all) {
  all->push_back(&value);
  if (value.is_structured())
    for (Json& child : value) collect(child, all);
}

inline Json extreme(std::mt19937& random) {
  static const std::vector<Json> values = {nullptr,
                                           true,
                                           "",
                                           "\xc3\xa9 name",
                                           Json::array(),
                                           Json::object(),
                                           0,
                                           1,
                                           -1,
                                           2,
                                           0.5,
                                           1e-300,
                                           1e300,
                                           -1e300,
                                           std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::uint64_t>::max(),
                                           2147483647,
                                           2147483648LL,
                                           4294967296LL,
                                           9007199254740993LL};
  return values[random() % values.size()];
}

inline void mutate(Json* document, std::mt19937& random) {
  std::vector<Json*> all;
  collect(*document, &all);
  Json& chosen = *all[random() % all.size()];
  switch (random() % 6) {
    case 0:
      chosen = extreme(random);
      break;
    case 1:
      chosen = Json(*all[random() % all.size()]);
      break;
    case 2:
      if (chosen.is_structured() && !chosen.empty())
        chosen.erase(
            std::next(chosen.begin(), static_cast<std::ptrdiff_t>(random() % chosen.size())));
      break;
    case 3:
      if (chosen.is_array() && !chosen.empty())
        chosen.push_back(Json(chosen[random() % chosen.size()]));
      break;
    case 4:
      if (chosen.is_number()) chosen = chosen.get<double>() * (random() % 2 == 0 ? -1.0 : 1e6);
      break;
    default:
      if (chosen.is_number_integer()) chosen = chosen.get<double>() + (random() % 2 == 0 ? 1 : -1);
  }
}

/// Changes a few values of a JSON text. Returns nothing if it is no JSON.
inline std::optional<std::string> mutated_json(std::string_view text, std::mt19937& random) {
  Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded() || document.is_null()) return std::nullopt;
  for (auto times = 1 + random() % 3; times > 0; --times) mutate(&document, random);
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace apmt::fuzz
