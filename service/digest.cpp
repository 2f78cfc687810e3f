#include "service/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <vector>

#include "base/input_error.h"

namespace apmt::service {
namespace {

std::string hexadecimal(const unsigned char* bytes, std::size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr) != 1)
    throw InputError("", "OpenSSL cannot calculate SHA-256", {}, ExitCode::kFailed);
  return hexadecimal(digest, length);
}

std::string random_name(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  if (RAND_bytes(random.data(), static_cast<int>(bytes)) != 1)
    throw InputError("", "OpenSSL has no random numbers", {}, ExitCode::kFailed);
  return hexadecimal(random.data(), bytes);
}

bool are_equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  // The digits are checked here, because EVP_DecodeBlock drops blanks at the ends, and takes '='
  // for 'A' anywhere.
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.substr(0, text.size() - padding).find_first_not_of(kDigits) != std::string_view::npos)
    return std::nullopt;
  std::vector<unsigned char> decoded(text.size() / 4 * 3);
  const int length =
      EVP_DecodeBlock(decoded.data(), reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  // EVP_DecodeBlock counts the padding as bytes.
  return std::string(decoded.begin(),
                     decoded.begin() + (length - static_cast<std::ptrdiff_t>(padding)));
}

}  // namespace apmt::service
