#include "kernels/runtime/kernel_choice.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "kernels/function_names.h"

namespace apmt::kernels {
namespace {

/// The function that contains a parallel region: "solve" for "solve.omp_outlined" (clang), "solve_"
/// for "solve_..omp_par" (flang); empty: the name is not that of a parallel region.
std::string_view region_parent(std::string_view linkage_name) {
  for (const std::string_view mark : {".omp_outlined", "..omp_par", ".omp_par"})
    if (const std::size_t at = linkage_name.find(mark); at != std::string_view::npos)
      return linkage_name.substr(0, at);
  return {};
}

}  // namespace

std::vector<bool> kernels_named(const Program& program, const std::vector<std::string>& names) {
  std::vector<bool> is_kernel(program.functions.size());
  for (std::size_t f = 0; f < is_kernel.size(); ++f)
    is_kernel[f] = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      const Function& function = program.functions[f];
      return is_named(program.name(function.linkage_name), program.name(function.name), name);
    });
  return is_kernel;
}

std::vector<bool> kernels_found(const Program& program) {
  const std::size_t functions = program.functions.size();
  std::unordered_map<std::string_view, std::uint32_t> by_name;
  for (std::uint32_t f = 0; f < functions; ++f)
    by_name.emplace(program.name(program.functions[f].linkage_name), f);

  std::vector<bool> has_loop(functions), is_region(functions);
  for (const Loop& loop : program.loops) has_loop[loop.function] = true;
  std::vector<std::vector<std::uint32_t>> callees(functions);
  for (std::uint32_t f = 0; f < functions; ++f) {
    const Function& function = program.functions[f];
    for (std::uint32_t b = 0; b < function.blocks; ++b)
      for (const Instruction& code : program.code(program.blocks[function.first_block + b]))
        if (code.op == OpClass::kCall && code.callee != kNone)
          if (const auto callee = by_name.find(program.name(code.callee)); callee != by_name.end())
            callees[f].push_back(callee->second);
    const std::string_view parent = region_parent(program.name(function.linkage_name));
    is_region[f] = !parent.empty();
    if (const auto at = by_name.find(parent); is_region[f] && at != by_name.end()) {
      callees[at->second].push_back(f);
      if (has_loop[f]) has_loop[at->second] = true;
    }
  }

  std::vector<bool> is_kernel(functions);
  for (std::uint32_t f = 0; f < functions; ++f) {
    if (!has_loop[f] || is_region[f]) continue;
    std::vector<bool> seen(functions);
    std::vector<std::uint32_t> reached = {f};
    bool is_lowest = true;
    while (!reached.empty() && is_lowest) {
      const std::uint32_t at = reached.back();
      reached.pop_back();
      if (seen[at]) continue;
      seen[at] = true;
      if (at != f && has_loop[at] && !is_region[at]) is_lowest = false;
      reached.insert(reached.end(), callees[at].begin(), callees[at].end());
    }
    is_kernel[f] = is_lowest;
  }
  return is_kernel;
}

std::optional<KernelCode> countable_code(const Program& program, std::uint32_t kernel) {
  KernelCode code;
  code.functions.resize(program.functions.size());
  std::vector<std::uint32_t> open;
  // Functions of several modules can have the same name; any of them may be the callee.
  const auto add_named = [&](std::uint32_t name) {
    bool is_known = false;
    for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
      if (program.functions[f].linkage_name != name) continue;
      is_known = true;
      if (!code.functions[f]) open.push_back(f);
      code.functions[f] = true;
    }
    return is_known;
  };
  add_named(program.functions[kernel].linkage_name);
  while (!open.empty()) {
    const Function& function = program.functions[open.back()];
    open.pop_back();
    for (std::uint32_t b = 0; b < function.blocks; ++b) {
      code.blocks.push_back(function.first_block + b);
      for (const Instruction& i : program.code(program.blocks[code.blocks.back()])) {
        if (words_of(i.op) > 1) return std::nullopt;
        if (i.op == OpClass::kCall && (i.callee == kNone || !add_named(i.callee)))
          return std::nullopt;
      }
    }
  }
  return code;
}

}  // namespace apmt::kernels
