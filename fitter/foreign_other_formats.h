// Formats of other tools that apmt import does not read. Each is recognised, so that the message
// can name it, and the program that makes something of it which apmt import reads.
#pragma once

#include <string>

namespace apmt {

/// If the file has a format that is not read, throws InputError that names the format and what
/// helps. `head` is the beginning of the file.
void refuse_other_formats(const std::string& file, const std::string& head);

/// Throws InputError: the file is `format`, and `helps` says what to do.
[[noreturn]] void refuse_format(const std::string& file, const std::string& format,
                                const std::string& helps);

}  // namespace apmt
