#include "service/tokens.h"

#include "base/input_error.h"
#include "service/digest.h"

namespace apmt::service {
namespace {

constexpr const char* kPrefix = "apmt_";
constexpr std::size_t kIdBytes = 8;
constexpr std::size_t kSecretBytes = 32;

struct Presented {
  std::string id;
  std::string secret;
};

std::optional<Presented> presented_token(const std::string& text) {
  const std::size_t id_begin = std::string(kPrefix).size();
  const std::size_t id_end = id_begin + 2 * kIdBytes;
  if (!text.starts_with(kPrefix) || text.size() != id_end + 1 + 2 * kSecretBytes ||
      text[id_end] != '_')
    return std::nullopt;
  return Presented{text.substr(id_begin, 2 * kIdBytes), text.substr(id_end + 1)};
}

std::optional<Presented> presented(const std::string& authorization) {
  if (is_bearer(authorization)) return presented_token(authorization.substr(7));
  if (!authorization.starts_with("Basic ")) return std::nullopt;
  const std::optional<std::string> pair = from_base64(authorization.substr(6));
  if (!pair) return std::nullopt;
  const std::size_t colon = pair->find(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string password = pair->substr(colon + 1);
  if (password.starts_with(kPrefix)) return presented_token(password);
  return Presented{pair->substr(0, colon), password};
}

}  // namespace

NewToken make_token(const std::string& name, Role role, std::optional<int> days,
                    const Scope& scope) {
  if (name.empty()) throw InputError("token", "needs a name: whom or what it is for");
  for (const std::string& application : scope.names())
    if (application.empty()) throw InputError("--only", "the name of an application is missing");
  NewToken token;
  const std::string secret = random_name(kSecretBytes);
  token.stored.id = random_name(kIdBytes);
  token.stored.name = name;
  token.stored.secret_hash = sha256(secret);
  token.stored.role = role;
  token.stored.scope = scope;
  token.stored.made_at = utc_now();
  if (days) token.stored.expires_at = utc_in_days(*days);
  token.text = kPrefix + token.stored.id + "_" + secret;
  return token;
}

bool is_bearer(const std::string& authorization) { return authorization.starts_with("Bearer "); }

std::optional<Caller> caller_of(Store& store, const std::string& authorization) {
  const std::optional<Presented> given = presented(authorization);
  if (!given) return std::nullopt;
  const std::optional<Token> token = store.token(given->id);
  // A check of an unknown id must take as long as a check of a wrong secret.
  const std::string expected = token ? token->secret_hash : std::string(64, '0');
  if (!are_equal_in_constant_time(sha256(given->secret), expected) || !token) return std::nullopt;
  if (!token->revoked_at.empty()) return std::nullopt;
  if (!token->expires_at.empty() && token->expires_at <= utc_now()) return std::nullopt;
  return Caller{token->id, token->name, token->role, token->scope};
}

}  // namespace apmt::service
