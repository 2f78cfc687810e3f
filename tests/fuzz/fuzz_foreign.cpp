// Fuzzes the readers of other tools' files; the first byte chooses the file name's extension. The
// seeds begin with a digit: '0' chooses the first extension.

#include <algorithm>
#include <array>

#include "foreign/files.h"
#include "tests/fuzz/answers.h"
#include "tests/fuzz/json_mutations.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::array<const char*, 8> kNames = {"f.txt",  "f.jsonl", "f.json",  "f.cali",
                                                 "f.mpiP", "f",       "f.cubex", "f.extra-p"};
  return apmt::fuzz::answers([&] {
    apmt::read_foreign(apmt::fuzz::text_of(data + 1, size - 1), kNames[data[0] % kNames.size()],
                       {"s"});
  });
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Half of the time, changes what follows the first byte as JSON, if it is JSON.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::mt19937 random(seed);
  std::optional<std::string> text;
  if (size > 1 && random() % 2 == 0)
    text = apmt::fuzz::mutated_json({reinterpret_cast<const char*>(data) + 1, size - 1}, random);
  if (!text || text->size() >= max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text->begin(), text->end(), data + 1);
  return text->size() + 1;
}
