// A progress bar on stderr. It appears after two seconds, and only if stderr is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace apmt {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void at(std::size_t done, std::size_t total);

 private:
  std::string what_;
  std::chrono::steady_clock::time_point begin_;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace apmt
