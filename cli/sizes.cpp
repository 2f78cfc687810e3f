#include "base/input_error.h"
#include "cli/verbs.h"

namespace apmt {

std::map<std::string, double> parse_sizes(const std::vector<std::string>& items, SizeNames names) {
  std::map<std::string, double> sizes;
  std::map<std::string, std::string> given;  // the same, as written
  for (const std::string& list : items) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      const std::string item = list.substr(at, end - at);
      const auto size = size_in_text(item, names);
      if (!size)
        throw InputError("--set",
                         "'" + item + "': expected name=number, the name of letters and _");
      const auto& [name, value] = *size;
      const std::string number = item.substr(name.size() + 1);
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
