#include <cmath>
#include <cstdlib>

#include "base/input_error.h"
#include "cli/verbs.h"

namespace apmt {

std::map<std::string, double> parse_sizes(const std::vector<std::string>& items) {
  std::map<std::string, double> sizes;
  std::map<std::string, std::string> given;  // the same, as written
  for (const std::string& list : items) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      const std::string item = list.substr(at, end - at);
      const std::size_t equals = item.find('=');
      const std::string number = equals == std::string::npos ? "" : item.substr(equals + 1);
      char* parsed = nullptr;
      const double value = std::strtod(number.c_str(), &parsed);
      const std::string name = item.substr(0, equals);
      const bool good_name =
          !name.empty() &&
          name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") ==
              std::string::npos;
      if (!good_name || number.empty() || *parsed != '\0' || !std::isfinite(value) || value < 0)
        throw InputError("--set",
                         "'" + item + "': expected name=number, the name of letters and _");
      if (const auto [had, is_new] = sizes.emplace(name, value); !is_new && had->second != value)
        throw InputError("--set",
                         "'" + name + "' is given two values: " + given.at(name) + " and " + number,
                         "give one value; only apmt run takes a list, such as --set n=100,200");
      given[name] = number;
      at = end + 1;
    }
  }
  return sizes;
}

}  // namespace apmt
