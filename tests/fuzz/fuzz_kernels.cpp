// Fuzzes the kernel analysers: each gets a decoded program and an arbitrary sequence of its blocks.

#include <algorithm>

#include "kernels/analysers/all.h"
#include "kernels/analysis.h"
#include "kernels/program_code.h"
#include "tests/fuzz/answers.h"
#include "tests/fuzz/kernel_events.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace apmt::kernels;
  std::uint32_t length = 0;
  if (size < sizeof length) return 0;
  std::memcpy(&length, data, sizeof length);
  data += sizeof length, size -= sizeof length;
  length = std::min(length, static_cast<std::uint32_t>(size));
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  const Decoded decoded = decode({bytes, length});
  if (!decoded.fault.empty() || decoded.program.blocks.empty()) return 0;
  std::vector<std::uint16_t> numbers((size - length) / 2);
  std::memcpy(numbers.data(), data + length, numbers.size() * 2);
  const std::vector<Word> words = apmt::fuzz::words_of(decoded.program, numbers);
  Analysis analysis;
  for (const bool is_compatible : {false, true})
    for (const auto& analyser :
         make_analysers({.aiwc_compatible = is_compatible, .stack_distance = true})) {
      analyser->begin(decoded.program);
      analyser->consume(0, words);
      analyser->finish(&analysis);
    }
  analysis_to_json(analysis);
  return 0;
}
