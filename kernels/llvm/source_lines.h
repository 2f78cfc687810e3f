// Lines of the sources, to show beside what was found in them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace apmt::frontend {

class SourceLines {
 public:
  /// The line without blanks at its ends, cut to 120 bytes. Empty if it is blank, if the file has
  /// no such line, or if the file cannot be read.
  std::string line(const std::string& file, unsigned number);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace apmt::frontend
