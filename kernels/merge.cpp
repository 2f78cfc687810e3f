#include "kernels/merge.h"

#include <map>
#include <tuple>

namespace apmt::kernels {
namespace {

auto key_of(const ScopeCounts& scope) {
  return std::tuple(scope.function, scope.file, scope.line, scope.inlined_into);
}

}  // namespace

void merge_scopes(const std::vector<ScopeCounts>& more, std::vector<ScopeCounts>* scopes) {
  std::map<decltype(key_of(more.front())), std::size_t> known;
  for (std::size_t i = 0; i < scopes->size(); ++i) known.emplace(key_of((*scopes)[i]), i);
  for (const ScopeCounts& scope : more) {
    const auto [at, is_new] = known.try_emplace(key_of(scope), scopes->size());
    if (is_new)
      scopes->push_back(scope);
    else
      (*scopes)[at->second].mix.add(scope.mix);
  }
}

}  // namespace apmt::kernels
