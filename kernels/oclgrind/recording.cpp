#include "kernels/oclgrind/recording.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <utility>

#include "kernels/analysers/all.h"
#include "kernels/analysis.h"
#include "kernels/runtime/part.h"

namespace apmt::opencl {

using kernels::Analysis;
using kernels::Program;
using kernels::Settings;
using kernels::Word;

Recording* Recording::get() {
  static Recording* const recording = []() -> Recording* {
    Settings settings = kernels::settings_from_environment();
    if (settings.folder.empty()) return nullptr;
    return new Recording(std::move(settings));
  }();
  return recording;
}

Recording::Recording(Settings settings)
    : settings_(std::move(settings)), process_(::getpid()), is_on_(settings_.is_analysed()) {
  if (is_on_) analysers_ = make_analysers(*settings_.analysers);
}

Recording::Place Recording::add(const Program& module) {
  const Place place{static_cast<std::uint32_t>(program_.blocks.size()),
                    static_cast<std::uint32_t>(program_.functions.size())};
  append(module, &program_);
  annotate(settings_.annotations, &program_);
  is_begun_ = false;
  return place;
}

void Recording::begin_analysers() {
  if (!is_begun_)
    for (const auto& analyser : analysers_) analyser->begin(program_);
  is_begun_ = true;
}

void Recording::consume(std::span<const Word> words) {
  if (!is_on_ || words.empty()) return;
  try {
    begin_analysers();
    for (const auto& analyser : analysers_) analyser->consume(0, words);
  } catch (const std::exception& error) {
    turn_off(error.what());
  }
}

/// A child of fork() writes nothing: it would count its parent's earlier work a second time. A rank
/// that is not analysed writes a file without kernels.
void Recording::finish() {
  if (has_failed_ || ::getpid() != process_) return;
  try {
    begin_analysers();
    Analysis analysis;
    for (const auto& analyser : analysers_) analyser->finish(&analysis);
    for (kernels::KernelAnalysis& kernel : analysis.kernels) kernel.is_opencl = true;
    analysis.copied_to_device_bytes += to_device_;
    analysis.copied_from_device_bytes += from_device_;
    write_part(settings_, analysis);
  } catch (const std::exception& error) {
    turn_off(error.what());
  }
  is_on_ = false;
}

void Recording::turn_off(const std::string& reason) {
  std::fprintf(stderr, "apmt: this process (%ld) is no longer analysed: %s\n",
               static_cast<long>(::getpid()), reason.c_str());
  is_on_ = false;
  has_failed_ = true;
}

}  // namespace apmt::opencl
