// A libFuzzer mutator for inputs that are JSON.

#include <algorithm>

#include "tests/fuzz/json_mutations.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::mt19937 random(seed);
  std::optional<std::string> text;
  if (random() % 16 != 0)
    text = apmt::fuzz::mutated_json({reinterpret_cast<const char*>(data), size}, random);
  if (!text || text->size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text->begin(), text->end(), data);
  return text->size();
}
