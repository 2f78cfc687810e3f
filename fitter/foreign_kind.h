// Which tool wrote a file that is to be imported; also recognises formats that cannot be read, to
// name them.
#pragma once

#include <string>

namespace apmt {

enum class ForeignKind {
  kExtrapText,
  kExtrapJsonLines,
  kExtrapJson,
  kExtrapPacked,  // its JSON in a zip archive
  kCali,
  kCaliperJson,
  kCube,
  kTalp,
  kMpip
};

/// By the name's ending and how the text begins. Throws InputError with the format's name, and what
/// turns such a file into one that can be read, for others.
ForeignKind foreign_kind(const std::string& file, const std::string& text);

}  // namespace apmt
