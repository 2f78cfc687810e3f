// Hashes, random names and Base64, by OpenSSL's libcrypto.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace apmt::service {

/// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// Returns 2 * `bytes` hexadecimal digits from a random generator that is suitable for secrets.
std::string random_name(std::size_t bytes);

/// Compares two texts. Takes the same time wherever they differ, so that a secret cannot be guessed
/// digit by digit.
bool are_equal_in_constant_time(std::string_view a, std::string_view b);

/// Returns nullopt if the text is not Base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace apmt::service
