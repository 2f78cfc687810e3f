// Formats of other tools that apmt import does not read. Each is recognised, so that the error
// message can name it and say how to get its values.
#pragma once

#include <string>

namespace apmt {

struct OtherFormat {
  const char* name;   // as in "is a profile of TAU"
  const char* helps;  // how to convert it
  bool (*is_it)(const std::string& file, const std::string& head);
};

/// The format of the file if it is one of those that are not read, otherwise null. `head` is the
/// beginning of the file. Formats of tools are tried before general ones, such as tables.
const OtherFormat* other_format(const std::string& file, const std::string& head);

/// Throws InputError if the file has a format that is not read; the message names the format and a
/// way to convert it.
void refuse_other_formats(const std::string& file, const std::string& head);

/// Throws InputError: the file is `format`, and `helps` says what the user can do.
[[noreturn]] void refuse_format(const std::string& file, const std::string& format,
                                const std::string& helps);

}  // namespace apmt
