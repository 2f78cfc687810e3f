#include "kernels/program_code.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace apmt::kernels {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr char kMagic[8] = {'a', 'p', 'm', 't', 'k', 'e', 'r', 'n'};

/// Calls `visit` with each table, in the order of the file.
template <class SomeProgram, class Visit>
void for_each_table(SomeProgram& p, const Visit& visit) {
  visit(p.functions), visit(p.blocks), visit(p.instructions), visit(p.operands);
  visit(p.successors), visit(p.loops), visit(p.excepted), visit(p.inlined);
  visit(p.sites), visit(p.idioms), visit(p.references);
}

void write(std::vector<std::byte>* out, const void* from, std::size_t bytes) {
  const auto* begin = static_cast<const std::byte*>(from);
  out->insert(out->end(), begin, begin + bytes);
}
void write(std::vector<std::byte>* out, std::size_t number) {
  const auto n = static_cast<std::uint32_t>(number);
  write(out, &n, sizeof n);
}

/// Reads from the front. After the first read past the end, every read fails.
struct Reader {
  std::span<const std::byte> rest;
  bool is_whole = true;

  const std::byte* take(std::uint64_t bytes) {
    if (!is_whole || bytes > rest.size()) {
      is_whole = false;
      return nullptr;
    }
    const std::byte* at = rest.data();
    rest = rest.subspan(bytes);
    return at;
  }
  std::uint32_t number() {
    std::uint32_t n = 0;
    if (const std::byte* at = take(sizeof n)) std::memcpy(&n, at, sizeof n);
    return n;
  }
};

}  // namespace

std::vector<std::byte> encode(const Program& program) {
  std::vector<std::byte> out;
  write(&out, kMagic, sizeof kMagic);
  write(&out, kProgramVersion);
  write(&out, program.names.size() - 1);
  for (std::uint32_t i = 1; i < program.names.size(); ++i) {
    const std::string& name = program.names[i];
    write(&out, name.size());
    write(&out, name.data(), name.size());
  }
  for_each_table(program, [&](const auto& rows) {
    static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<decltype(rows[0])>>);
    write(&out, rows.size());
    write(&out, rows.data(), rows.size() * sizeof rows[0]);
  });
  return out;
}

Decoded decode(std::span<const std::byte> bytes) {
  Decoded decoded;
  Reader reader{bytes};
  const std::byte* magic = reader.take(sizeof kMagic);
  if (magic == nullptr || std::memcmp(magic, kMagic, sizeof kMagic) != 0)
    return {{}, "the bytes are no program: they do not begin with \"apmtkern\""};
  if (const std::uint32_t version = reader.number(); version != kProgramVersion)
    return {{},
            "the program has version " + std::to_string(version) + ", known is " +
                std::to_string(kProgramVersion) + ": build it again with this apmt"};

  for (std::uint32_t n = reader.number(); n > 0 && reader.is_whole; --n) {
    const std::uint32_t length = reader.number();
    const std::size_t before = decoded.program.names.size();
    if (const std::byte* at = reader.take(length))
      decoded.program.names.add({reinterpret_cast<const char*>(at), length});
    if (reader.is_whole && decoded.program.names.size() == before)
      return {{}, "the program has a name twice"};
  }
  for_each_table(decoded.program, [&](auto& rows) {
    using Row = typename std::remove_cvref_t<decltype(rows)>::value_type;
    const std::uint64_t n = reader.number();
    if (const std::byte* at = reader.take(n * sizeof(Row))) {
      rows.resize(n);
      if (n > 0) std::memcpy(rows.data(), at, n * sizeof(Row));
    }
  });
  if (!reader.is_whole) return {{}, "the program ends too early"};
  if (!reader.rest.empty()) return {{}, "bytes follow the program"};
  decoded.fault = fault_of(decoded.program);
  if (!decoded.fault.empty()) decoded.program = {};
  return decoded;
}

}  // namespace apmt::kernels
