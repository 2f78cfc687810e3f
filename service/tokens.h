// Tokens: "apmt_ID_SECRET". The store keeps only the hash of the secret.
#pragma once

#include <optional>
#include <string>

#include "service/http_message.h"
#include "service/store.h"

namespace apmt::service {

struct NewToken {
  Token stored;
  std::string text;  // to be shown once
};

/// Makes a token that expires after `days`; absent: never.
NewToken make_token(const std::string& name, Role role, std::optional<int> days,
                    const Scope& scope = {});

/// The caller of a request, from the content of its header Authorization. The header is "Bearer
/// TOKEN" or, from browsers, "Basic" with the id as user and the secret as password, or with the
/// whole token as password. Returns nullopt if the token is unknown, wrong, expired or revoked.
std::optional<Caller> caller_of(Store& store, const std::string& authorization);

bool is_bearer(const std::string& authorization);

}  // namespace apmt::service
