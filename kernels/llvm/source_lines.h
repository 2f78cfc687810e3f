// Lines of the sources, to show beside what was found in them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace apmt::frontend {

class SourceLines {
 public:
  /// Without the space around it, at most 120 bytes; empty: the file cannot be read.
  std::string line(const std::string& file, unsigned number);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace apmt::frontend
