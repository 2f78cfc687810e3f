#include "service/store_address.h"

#include <algorithm>
#include <vector>

#include "base/input_error.h"
#include "service/url.h"

namespace apmt::service {
namespace {

constexpr const char* kSqlite = "sqlite:";
constexpr const char* kHidden = "***";

void replace_all(const std::string& from, std::string* text) {
  for (std::size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + 3))
    text->replace(at, from.size(), kHidden);
}

/// Adds a password to `found`, a list of texts that messages must hide, and the parts into which
/// `@` and `/` divide it. These characters should be escaped in a password. If they are not, libpq
/// may mistake a part for a host name and print it in an error message.
void add_with_pieces(const std::string& password, std::vector<std::string>* found) {
  constexpr std::size_t kShortest = 3;
  found->push_back(password);
  for (std::size_t begin = 0; begin < password.size();) {
    const std::size_t end = std::min(password.find_first_of("@/", begin), password.size());
    if (end - begin >= kShortest) found->push_back(password.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// The passwords in an address of PostgreSQL: after the user, and in the parameters.
std::vector<std::string> passwords_in(const std::string& address) {
  std::vector<std::string> found;
  const std::size_t begin = std::min(address.find("://"), address.size() - 3) + 3;
  const std::size_t question = std::min(address.find('?', begin), address.size());
  // libpq ends the password at the first @, if no slash precedes it. A password with an unescaped
  // slash or a second @ is an error in the address, but must not be shown either.
  std::size_t user_end = address.find_first_of("@/", begin);
  if (user_end != std::string::npos && address[user_end] == '/') user_end = begin;
  if (const std::size_t last = address.rfind('@', question); last != std::string::npos)
    user_end = user_end == std::string::npos ? last : std::max(user_end, last);
  const std::size_t colon = address.find(':', begin);
  if (user_end != std::string::npos && colon < user_end)
    add_with_pieces(address.substr(colon + 1, user_end - colon - 1), &found);
  for (const char* name : {"password=", "sslpassword="}) {
    for (std::size_t at = address.find(name, question); at != std::string::npos;
         at = address.find(name, at + 1)) {
      const std::size_t value = at + std::string(name).size();
      found.push_back(address.substr(value, address.find('&', value) - value));
    }
  }
  return found;
}

}  // namespace

std::string without_passwords(std::string text, const std::string& address) {
  std::vector<std::string> passwords = passwords_in(address);
  // The longest password comes first, because it may contain another.
  std::sort(passwords.begin(), passwords.end(),
            [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (const std::string& password : passwords) {
    if (password.empty()) continue;
    replace_all(password, &text);
    if (const std::optional<std::string> plain = unescaped(password)) replace_all(*plain, &text);
  }
  return text;
}

StoreAddress store_address(const std::string& text) {
  if (text.starts_with(kSqlite) && text != kSqlite) {
    const std::string file = text.substr(std::string(kSqlite).size());
    return {StoreAddress::Kind::kSqlite, file, file};
  }
  if (text.starts_with("postgresql://") || text.starts_with("postgres://"))
    return {StoreAddress::Kind::kPostgresql, text, without_passwords(text, text)};
  // The message does not repeat the text, which may be a misspelt address with a password.
  throw InputError("--store", "this is not the address of a store",
                   "give sqlite:FILE or postgresql://USER@HOST/DATABASE");
}

}  // namespace apmt::service
