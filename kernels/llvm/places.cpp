#include "kernels/llvm/places.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/Function.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace apmt::frontend {
namespace {

using namespace llvm;

std::uint32_t size32(std::size_t size) { return static_cast<std::uint32_t>(size); }

/// An absolute path; the bare name if the file does not exist (OpenCL source passed as a string).
std::string path_of(const DIFile* file) {
  if (!file) return {};
  SmallString<256> path;
  if (!sys::path::is_absolute(file->getFilename())) path = file->getDirectory();
  sys::path::append(path, file->getFilename());
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  if (!sys::path::is_absolute(file->getFilename()) && !sys::fs::exists(path))
    return file->getFilename().str();
  return std::string(path.str());
}

StringRef linkage_name_of(const DISubprogram* subprogram) {
  return subprogram->getLinkageName().empty() ? subprogram->getName()
                                              : subprogram->getLinkageName();
}

}  // namespace

std::uint32_t Places::file(const DIFile* file) {
  const auto [known, is_new] = files_.try_emplace(file, 0);
  if (is_new) known->second = program_.names.add(path_of(file));
  return known->second;
}

std::uint32_t Places::inlined(const DILocation* location) {
  const DILocation* call = location->getInlinedAt();
  const DISubprogram* callee = location->getScope()->getSubprogram();
  if (!call || !callee) return kernels::kNone;
  const auto key = std::pair(callee, call);
  if (const auto known = inlined_.find(key); known != inlined_.end()) return known->second;
  kernels::Inlined row;
  row.parent = inlined(call);
  row.linkage_name = program_.names.add(linkage_name_of(callee));
  row.name = program_.names.add(callee->getName());
  row.file = file(callee->getFile());
  row.line = callee->getLine();
  row.call_file = file(call->getFile());
  row.call_line = call->getLine();
  const std::uint32_t index = size32(program_.inlined.size());
  program_.inlined.push_back(row);
  inlined_.emplace(key, index);
  return index;
}

std::uint32_t Places::site(const DebugLoc& location) {
  const DILocation* at = location.get();
  if (!at) return kernels::kNone;
  const kernels::Site site{file(at->getFile()), at->getLine(), at->getColumn(), inlined(at)};
  const SiteKey key{site.file, site.line, site.column, site.inlined};
  const auto [known, is_new] = sites_.try_emplace(key, size32(program_.sites.size()));
  if (is_new) program_.sites.push_back(site);
  return known->second;
}

void Places::describe(const Function& function, kernels::Function* described) {
  described->linkage_name = program_.names.add(function.getName());
  described->name = described->linkage_name;
  const DISubprogram* subprogram = function.getSubprogram();
  if (!subprogram) return;
  described->name = program_.names.add(subprogram->getName());
  described->file = file(subprogram->getFile());
  described->line = subprogram->getLine();
}

}  // namespace apmt::frontend
