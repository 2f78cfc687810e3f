#include "cli/campaign_progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <ctime>

#include "cli/logging.h"

namespace apmt {
namespace {

/// The time of day `seconds` from now.
std::string clock_in(double seconds) {
  const std::time_t then = std::time(nullptr) + static_cast<std::time_t>(seconds);
  std::tm local{};
  localtime_r(&then, &local);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M", &local);
  return text;
}

std::string head(const CampaignStep& step) {
  return "run " + std::to_string(step.number) + " of " + std::to_string(step.planned) + ": " +
         step.run->point.words();
}

}  // namespace

std::string duration_words(double seconds) {
  char text[48];
  const long whole = std::lround(seconds);
  if (seconds < 59.5)
    std::snprintf(text, sizeof text, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
  else if (whole < 3600)
    std::snprintf(text, sizeof text, "%ld min %02ld s", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
  return text;
}

CampaignProgress::CampaignProgress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

CampaignWatcher CampaignProgress::watcher() {
  CampaignWatcher watcher;
  watcher.on_start = [this](const CampaignStep& step) { show(step); };
  watcher.on_second = [this](const CampaignStep& step) { show(step); };
  watcher.on_end = [this](const CampaignStep& step, const std::filesystem::path&) {
    clear();
    std::string rest;
    if (step.left_s && step.number < step.planned)
      rest = "; about " + duration_words(*step.left_s) + " to go, until " + clock_in(*step.left_s);
    logging::info("{}: {}{}", head(step), duration_words(step.elapsed_s), rest);
  };
  return watcher;
}

void CampaignProgress::show(const CampaignStep& step) {
  if (!terminal_) return;
  std::string text = head(step) + ", " + duration_words(std::floor(step.elapsed_s));
  if (step.left_s) text += "; expected end " + clock_in(*step.left_s);
  std::fprintf(stderr, "\r%.99s\033[K", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void CampaignProgress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace apmt
