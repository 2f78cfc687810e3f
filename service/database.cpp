#include "service/database.h"

namespace apmt::service {

std::optional<std::int64_t> Statement::first_integer() {
  const std::optional<std::int64_t> number = step() ? std::optional(integer(0)) : std::nullopt;
  rows_.reset();
  return number;
}

std::string placeholders(std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = first; i < first + count; ++i)
    text += (text.empty() ? "$" : ", $") + std::to_string(i);
  return text;
}

}  // namespace apmt::service
