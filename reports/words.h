// Prepares text from programs (kernel names, command lines) for output: valid UTF-8, no control
// characters, no wider than the space for it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace apmt {

/// Invalid UTF-8 and control characters (a terminal would execute them) become U+FFFD, and so do
/// invisible characters that change the direction of writing. Tabs and line ends become a blank.
std::string printable(std::string_view text);

/// Capitalises the first letter of a sentence if it is one of a to z.
std::string capitalised(std::string text);

/// Columns on a terminal. `text` is printable().
std::size_t display_width(std::string_view text);

/// At most `width` columns: the middle is replaced by "..."; characters are never cut.
std::string ellipsize(std::string_view text, std::size_t width);

/// Lines of at most `width` columns, broken at blanks, and within a word only if it is wider than a
/// line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// A formula in lines of at most `width` columns, each beginning with a term and its sign; broken
/// within a term only if it is longer than a line.
std::vector<std::string> formula_lines(std::string_view formula, std::size_t width);

/// A C++ name short enough for a sentence: without template arguments, parameters and return type.
/// If it is still too long, "..." replaces its middle.
std::string short_name(std::string_view name, std::size_t width = 48);

/// The same for names in a list. If two names would look alike, the part that differs is kept if
/// there is room.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width);

}  // namespace apmt
