#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

namespace apmt {

Progress::Progress(std::string what)
    : what_(std::move(what)),
      begin_(std::chrono::steady_clock::now()),
      terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::at(std::size_t done, std::size_t total) {
  constexpr std::chrono::seconds kPatience{2};
  if (!terminal_ || total == 0 || std::chrono::steady_clock::now() - begin_ < kPatience) return;
  constexpr std::size_t kWidth = 30;
  const std::size_t filled = done * kWidth / total;
  std::fprintf(stderr, "\r%s [%s%s] %zu of %zu", what_.c_str(), std::string(filled, '#').c_str(),
               std::string(kWidth - filled, ' ').c_str(), done, total);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace apmt
