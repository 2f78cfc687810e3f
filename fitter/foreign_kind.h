// Which tool wrote a file that is to be imported: those that cannot be read are named.
#pragma once

#include <string>

namespace apmt {

enum class ForeignKind { kExtrapText, kExtrapJsonLines, kExtrapJson, kCali, kCaliperJson, kMpip };

/// By the name's ending and how the text begins. Throws InputError with the format's name, and what
/// turns such a file into one that can be read, for formats of TALP, Cube and
/// others.
ForeignKind foreign_kind(const std::string& file, const std::string& text);

}  // namespace apmt
