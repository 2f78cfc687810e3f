#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace apmt {
namespace {

constexpr int kUsual = 100;
constexpr int kMost = 1000;

int columns_of_terminal() {
  if (const char* columns = std::getenv("COLUMNS"))
    if (const int asked = std::atoi(columns); asked > 0) return asked;
  winsize size = {};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

int text_columns() {
  if (::isatty(STDOUT_FILENO) != 1) return kUsual;
  return std::clamp(columns_of_terminal(), kUsual, kMost);
}

}  // namespace apmt
