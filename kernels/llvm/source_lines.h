// Reads lines of the sources, to show them beside the idioms found there.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace apmt::frontend {

class SourceLines {
 public:
  /// The line without blanks at its ends, cut to 120 bytes. If other statements precede the one at
  /// this column in the line, it begins with this statement. Empty if it is blank, if the file has
  /// no such line, or if the file cannot be read.
  std::string line(const std::string& file, unsigned number, unsigned column);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace apmt::frontend
