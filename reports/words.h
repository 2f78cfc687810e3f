// Prepares text from the profiled program (kernel names, command lines) for output: as valid UTF-8
// without control characters, shortened or wrapped to the available width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace apmt {

/// Puts U+FFFD in place of invalid UTF-8, control characters (a terminal would execute them), and
/// some invisible characters, such as those that change the direction of writing. Tabs and line
/// ends become a blank.
std::string printable(std::string_view text);

/// Capitalises the first letter of a sentence if it is one of a to z.
std::string capitalised(std::string text);

/// How many columns `text`, which must be printable(), takes on a terminal.
std::size_t display_width(std::string_view text);

/// `text` in at most `width` columns: if it is wider, "..." replaces its middle. Never cuts a
/// multi-byte character.
std::string ellipsize(std::string_view text, std::size_t width);

/// Breaks `text` into lines of at most `width` columns, at blanks; within a word only if the word
/// is wider than a line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Breaks a formula into lines of at most `width` columns, before the sign of a term; within a term
/// only if the term is wider than a line.
std::vector<std::string> formula_lines(std::string_view formula, std::size_t width);

/// A C++ name in at most `width` columns. Drops, as far as needed: return type and parameters,
/// template arguments, namespaces. If the name is still too long, "..." replaces its middle.
std::string short_name(std::string_view name, std::size_t width = 48);

/// short_name for each name of a list. Names that would become equal are only shortened in their
/// middle, so that they still differ if possible.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width);

}  // namespace apmt
