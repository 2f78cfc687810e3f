#include "profiler/reader/object_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <memory>

#include "profiler/reader/hexadecimal.h"

namespace apmt {
namespace {

/// The text in a segment, up to its first NUL.
std::string text_of(Elf* elf, const GElf_Phdr& segment) {
  constexpr GElf_Xword kLongestPath = 4096;
  if (segment.p_filesz > kLongestPath) return {};
  const Elf_Data* data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.p_offset),
                                              segment.p_filesz, ELF_T_BYTE);
  if (data == nullptr || data->d_buf == nullptr) return {};
  const std::string text(static_cast<const char*>(data->d_buf), data->d_size);
  return text.substr(0, text.find('\0'));
}

std::string loader_of(Elf* elf) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return {};
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_INTERP)
      return text_of(elf, segment);
  }
  return {};
}

}  // namespace

ObjectFile read_object_file(const std::filesystem::path& path) {
  ObjectFile object;
  elf_version(EV_CURRENT);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return object;
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(file, ELF_C_READ, nullptr), elf_end);
  if (elf != nullptr && elf_kind(elf.get()) == ELF_K_ELF &&
      gelf_getclass(elf.get()) == ELFCLASS64) {
    object.is_program_code = true;
    object.loader = loader_of(elf.get());
    const void* bits = nullptr;
    if (const ssize_t length = dwelf_elf_gnu_build_id(elf.get(), &bits); length > 0)
      object.build_id =
          hexadecimal(static_cast<const std::uint8_t*>(bits), static_cast<std::size_t>(length));
  }
  ::close(file);
  return object;
}

}  // namespace apmt
