// Reads lines of the sources, to show them beside the idioms found there.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace apmt::frontend {

class SourceLines {
 public:
  /// Without surrounding space, at most 120 bytes; empty: there is no such file or line.
  std::string line(const std::string& file, unsigned number);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace apmt::frontend
