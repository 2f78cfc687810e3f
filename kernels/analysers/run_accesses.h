// The memory accesses of a run (kernels/events.h: many executions of one block), and whether these
// executions can be analysed together. This requires that no execution reads what the same or an
// earlier execution wrote, and that every access covers whole granules of shadow memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/analysers/shadow.h"
#include "kernels/events.h"

namespace apmt::kernels {

/// One load, store or atomic of the block, in all executions of a run.
struct RunAccess {
  const Instruction* instruction = nullptr;
  std::uint32_t word = 0;
  std::uint64_t bytes = 0;
  std::int64_t stride = 0;
  Word first = 0;           // address in the first execution
  Word begin = 0, end = 0;  // all bytes that the run accesses lie between them
  bool reads = false, writes = false;

  bool is_dense() const { return static_cast<std::uint64_t>(std::abs(stride)) == bytes; }
};

class RunAccesses {
 public:
  RunAccesses() = default;
  RunAccesses(const Program& program, const Run& run) { read(program, run); }

  /// Replaces the accesses with those of another run.
  void read(const Program& program, const Run& run) {
    all_.clear();
    for (const Instruction& i : program.code(program.blocks[run.block])) {
      if (words_of(i.op) != 1) continue;
      const auto word = static_cast<std::uint32_t>(all_.size());
      const Word first = run.address(word), last = run.address(word, run.times - 1);
      all_.push_back({&i, word, i.bytes, static_cast<std::int64_t>(run.stride(word)), first,
                      std::min(first, last), std::max(first, last) + i.bytes,
                      i.op != OpClass::kStore, i.op != OpClass::kLoad});
    }
  }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  std::size_t size() const { return all_.size(); }
  const RunAccess& operator[](std::size_t word) const { return all_[word]; }

  bool cover_whole_granules() const {
    for (const RunAccess& a : all_)
      if (((a.first | static_cast<Word>(a.stride) | a.bytes) & (kShadowGranule - 1)) != 0)
        return false;
    return true;
  }
  bool are_independent() const {
    if (!cover_whole_granules()) return false;
    for (const RunAccess& written : all_)
      if (written.writes)
        for (const RunAccess& other : all_)
          if ((&other != &written || other.reads) && !is_free_of(written, other)) return false;
    return true;
  }

  /// Whether it is certain that the access `other` reads nothing that `written` wrote in the same
  /// or an earlier execution of the block. If both write, they must also touch the same bytes or
  /// separate ones.
  static bool is_free_of(const RunAccess& written, const RunAccess& other) {
    if (written.end <= other.begin || other.end <= written.begin) return true;
    if (written.stride != other.stride || written.stride == 0) return false;
    const auto step = static_cast<std::uint64_t>(std::abs(written.stride));
    if (written.bytes > step || other.bytes > step) return false;
    if (written.first == other.first && written.bytes == other.bytes)
      return other.word <= written.word || !other.reads;  // an atomic reads before it writes
    const auto ahead = static_cast<std::int64_t>(other.first - written.first);
    if (!other.writes && (written.stride > 0 ? ahead >= static_cast<std::int64_t>(written.bytes)
                                             : -ahead >= static_cast<std::int64_t>(other.bytes)))
      return true;  // each address is read before it is written
    const std::uint64_t apart = (static_cast<std::uint64_t>(ahead) % step + step) % step;
    return (step & (step - 1)) == 0 && apart >= written.bytes && apart + other.bytes <= step;
  }

 private:
  std::vector<RunAccess> all_;
};

/// Calls `visit(address, bytes)` for the ranges that an access touches in `times` successive
/// executions of its run. `first` is the address in the first of these executions.
template <class Visit>
void each_range_of(const RunAccess& access, Word first, std::uint64_t times, const Visit& visit) {
  if (access.is_dense()) {
    const Word from = access.stride > 0 ? first : first - (times - 1) * access.bytes;
    return visit(from, times * access.bytes);
  }
  if (access.stride == 0) times = 1;
  for (; times > 0; --times, first += static_cast<Word>(access.stride)) visit(first, access.bytes);
}
/// Like each_range_of(), but calls `visit(span of rows)` for the rows of shadow memory that belong
/// to each range.
template <class Row, class Visit>
void each_row_of(Shadow<Row>& shadow, const RunAccess& access, Word first, std::uint64_t times,
                 const Visit& visit) {
  each_range_of(access, first, times,
                [&](Word from, Word bytes) { shadow.each_span(from, bytes, visit); });
}
/// Like each_row_of(), for rows that are only read.
template <class Row, class Visit>
void each_row_read_by(Shadow<Row>& shadow, const RunAccess& access, Word first, std::uint64_t times,
                      const Visit& visit) {
  each_range_of(access, first, times,
                [&](Word from, Word bytes) { shadow.each_read_span(from, bytes, visit); });
}

}  // namespace apmt::kernels
