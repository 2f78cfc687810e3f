// Text that comes from programs (kernel names, command lines) made fit to be shown: valid UTF-8, no
// control characters, as wide as there is room.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace apmt {

/// Broken UTF-8 and control characters (a terminal would obey them) become U+FFFD; also the
/// invisible ones that turn the direction of writing. Tabs and line ends become a blank.
std::string printable(std::string_view text);

/// The first letter of a sentence, when it is one of a to z.
std::string capitalised(std::string text);

/// Columns on a terminal. `text` is printable().
std::size_t display_width(std::string_view text);

/// At most `width` columns: the middle gives way to "...", a character is never cut.
std::string ellipsize(std::string_view text, std::size_t width);

/// Lines of at most `width` columns, broken at blanks, in a word only when it is wider than a line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// A formula in lines of at most `width` columns, each beginning with a term and its sign; within a
/// term only where it is longer than a line.
std::vector<std::string> formula_lines(std::string_view formula, std::size_t width);

/// A C++ name short enough for a sentence: template arguments and parameters emptied, the type that
/// it returns left out, then the middle.
std::string short_name(std::string_view name, std::size_t width = 48);

/// The same for names that stand below each other: those that would look alike keep what tells them
/// apart, if there is room.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width);

}  // namespace apmt
