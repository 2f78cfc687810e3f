// Recognises which tool wrote a file that is to be imported. Formats that apmt does not read are
// recognised, too, so that messages can name them.
#pragma once

#include <string>

namespace apmt {

enum class ForeignKind {
  kExtrapText,
  kExtrapJsonLines,
  kExtrapJson,
  kExtrapPacked,  // Extra-P's JSON in a zip archive
  kCali,
  kCaliperJson,
  kCube,
  kTalp,
  kMpip
};

/// Decides by the end of the file's name and by its text. Throws InputError for an empty or binary
/// file, for other JSON, and for formats that are only recognised (foreign/other_formats.h). Any
/// other text counts as kExtrapText.
ForeignKind foreign_kind(const std::string& file, const std::string& text);

}  // namespace apmt
