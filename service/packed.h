// Compresses texts with zlib, and unpacks them with a limit.
#pragma once

#include <string>
#include <string_view>

namespace apmt::service {

std::string pack(std::string_view text);

/// Unpacks bytes in the format of zlib or gzip. Throws InputError that begins with `name` if the
/// bytes are damaged, or if they unpack to more than `most_bytes`. Never allocates much
/// more memory than that.
std::string unpack(std::string_view packed, std::size_t most_bytes, const std::string& name);

}  // namespace apmt::service
