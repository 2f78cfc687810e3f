// Formats of other tools that apmt import does not read. Each is recognised, so that the error
// message can name it, together with a program that converts it to a format which apmt import
// reads.
#pragma once

#include <string>

namespace apmt {

/// Throws InputError if the file has a format that is not read; the message names the format and a
/// way to convert it. `head` is the beginning of the file.
void refuse_other_formats(const std::string& file, const std::string& head);

/// Throws InputError: the file is `format`, and `helps` says what the user can do.
[[noreturn]] void refuse_format(const std::string& file, const std::string& format,
                                const std::string& helps);

}  // namespace apmt
