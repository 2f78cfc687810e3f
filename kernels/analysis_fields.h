// The fields of analysis.json; docs/formats.md says what they mean.
#pragma once

#include <array>
#include <tuple>

#include "base/described_struct.h"
#include "kernels/analysis.h"

namespace apmt {

inline constexpr std::array kVerdicts = {"parallel", "sequential", "single"};
constexpr const auto& names_of(Of<kernels::Verdict>) { return kVerdicts; }

constexpr auto fields_of(Of<kernels::InstructionMix>) {
  using M = kernels::InstructionMix;
  return std::tuple{field("instructions", &M::instructions),
                    field("alu", &M::alu),
                    field("simd", &M::simd),
                    field("loads", &M::loads),
                    field("stores", &M::stores),
                    field("fences", &M::fences),
                    field("branches", &M::branches),
                    field("calls", &M::calls),
                    field("loaded_bytes", &M::loaded_bytes),
                    field("stored_bytes", &M::stored_bytes),
                    field("flops", &M::flops),
                    field("flops_add", &M::flops_add),
                    field("flops_multiply", &M::flops_multiply),
                    field("flops_divide", &M::flops_divide),
                    field("flops_special", &M::flops_special),
                    field("flops_single", &M::flops_single),
                    field("flops_vector", &M::flops_vector),
                    field("compute_per_access", &M::compute_per_access).at_least(0)};
}

constexpr auto fields_of(Of<kernels::ScopeCounts>) {
  using S = kernels::ScopeCounts;
  return std::tuple{field("function", &S::function), field("file", &S::file),
                    field("line", &S::line), field("inlined_into", &S::inlined_into),
                    field("mix", &S::mix)};
}

constexpr auto fields_of(Of<kernels::Parallelism::Width>) {
  using W = kernels::Parallelism::Width;
  return std::tuple{field("from", &W::from), field("to", &W::to), field("levels", &W::levels),
                    field("operations", &W::operations)};
}

constexpr auto fields_of(Of<kernels::Parallelism>) {
  using P = kernels::Parallelism;
  return std::tuple{field("depth", &P::depth),
                    field("operations", &P::operations),
                    field("levels_per_row", &P::levels_per_row).at_least(1),
                    field("widths", &P::widths),
                    field("profile", &P::profile).at_least(0),
                    field("shadow_bytes", &P::shadow_bytes),
                    field("complete", &P::is_complete)};
}

constexpr auto fields_of(Of<kernels::LoadChain>) {
  using C = kernels::LoadChain;
  return std::tuple{field("depth", &C::depth), field("unforeseen", &C::unforeseen),
                    field("shadow_bytes", &C::shadow_bytes), field("complete", &C::is_complete)};
}

constexpr auto fields_of(Of<kernels::Locality::Distance>) {
  using D = kernels::Locality::Distance;
  return std::tuple{field("from", &D::from), field("to", &D::to),
                    field("accesses", &D::accesses).at_least(0)};
}

constexpr auto fields_of(Of<kernels::Locality>) {
  using L = kernels::Locality;
  return std::tuple{field("line_bytes", &L::line_bytes).at_least(1),
                    field("one_line_of", &L::one_line_of).at_least(1),
                    field("accesses", &L::accesses).at_least(0),
                    field("cold", &L::cold).at_least(0),
                    field("distances", &L::distances),
                    field("memory_bytes", &L::memory_bytes),
                    field("complete", &L::is_complete)};
}

constexpr auto fields_of(Of<kernels::Synchronisation>) {
  using S = kernels::Synchronisation;
  return std::tuple{field("by_trip_counts", &S::by_trip_counts),
                    field("inside_parallel", &S::inside_parallel),
                    field("annotated", &S::annotated), field("shadow_bytes", &S::shadow_bytes),
                    field("complete", &S::is_complete)};
}

constexpr auto fields_of(Of<kernels::IdiomFacts>) {
  using I = kernels::IdiomFacts;
  return std::tuple{field("idiom", &I::idiom), field("file", &I::file),
                    field("line", &I::line),   field("code", &I::code),
                    field("loads", &I::loads), field("stores", &I::stores),
                    field("bytes", &I::bytes), field("share", &I::share).from_to(0, 1)};
}

constexpr auto fields_of(Of<kernels::LoopFacts>) {
  using L = kernels::LoopFacts;
  return std::tuple{field("id", &L::id),
                    field("parent", &L::parent),
                    field("function", &L::function),
                    field("file", &L::file),
                    field("line", &L::line),
                    field("entries", &L::entries),
                    field("trips", &L::trips),
                    field("least_trips", &L::least_trips),
                    field("most_trips", &L::most_trips),
                    field("verdict", &L::verdict),
                    field("because", &L::because),
                    field("because_line", &L::because_line),
                    field("depth", &L::depth).at_least(1),
                    field("mix", &L::mix),
                    field("idioms", &L::idioms),
                    field("footprint_bytes", &L::footprint_bytes).at_least(0)};
}

constexpr auto fields_of(Of<kernels::BlindSpot>) {
  using B = kernels::BlindSpot;
  return std::tuple{field("callee", &B::callee), field("calls", &B::calls)};
}

constexpr auto fields_of(Of<kernels::Aiwc>) {
  using A = kernels::Aiwc;
  return std::tuple{field("work_item", &A::work_item).holds("what a work-item is"),
                    field("opcodes", &A::opcodes),
                    field("instructions", &A::instructions),
                    field("work_items", &A::work_items),
                    field("barriers", &A::barriers),
                    field("least_to_barrier", &A::least_to_barrier),
                    field("most_to_barrier", &A::most_to_barrier),
                    field("median_to_barrier", &A::median_to_barrier).at_least(0),
                    field("least_per_item", &A::least_per_item),
                    field("most_per_item", &A::most_per_item),
                    field("median_per_item", &A::median_per_item).at_least(0),
                    field("most_lanes", &A::most_lanes),
                    field("mean_lanes", &A::mean_lanes).at_least(0),
                    field("sd_lanes", &A::sd_lanes).at_least(0),
                    field("footprint", &A::footprint),
                    field("footprint_90", &A::footprint_90),
                    field("unique_reads", &A::unique_reads),
                    field("unique_writes", &A::unique_writes),
                    field("unique_read_write", &A::unique_read_write).at_least(0),
                    field("reads", &A::reads),
                    field("writes", &A::writes),
                    field("reread", &A::reread).at_least(0),
                    field("rewrite", &A::rewrite).at_least(0),
                    field("entropy", &A::entropy).at_least(0),
                    field("local_entropies", &A::local_entropies).at_least(0),
                    field("branches", &A::branches),
                    field("branches_90", &A::branches_90),
                    field("yokota", &A::yokota).at_least(0),
                    field("linear", &A::linear).from_to(0, 1),
                    field("compatible", &A::is_compatible),
                    field("memory_bytes", &A::memory_bytes),
                    field("complete", &A::is_complete)};
}

constexpr auto fields_of(Of<kernels::KernelAnalysis>) {
  using K = kernels::KernelAnalysis;
  return std::tuple{
      field("function", &K::function).holds("a linkage name"),
      field("name", &K::name),
      field("file", &K::file),
      field("line", &K::line),
      field("invocations", &K::invocations),
      field("followed_invocations", &K::followed_invocations).missing_in_older_files(),
      field("skipped_difference", &K::skipped_difference).at_least(0).missing_in_older_files(),
      field("threads", &K::threads).at_least(1).missing_in_older_files(),
      field("opencl", &K::is_opencl).missing_in_older_files(),
      field("mix", &K::mix),
      field("aiwc", &K::aiwc),
      field("floating_point", &K::floating_point),
      field("all_operations", &K::all_operations),
      field("load_chain", &K::load_chain).missing_in_older_files(),
      field("locality", &K::locality),
      field("sampled_locality", &K::sampled_locality),
      field("synchronisation", &K::synchronisation),
      field("loops", &K::loops),
      field("blind_spots", &K::blind_spots)};
}

constexpr auto fields_of(Of<kernels::Analysis>) {
  using A = kernels::Analysis;
  return std::tuple{field("program", &A::program),
                    field("processes", &A::processes).missing_in_older_files(),
                    field("analysers", &A::analysers),
                    field("kernels", &A::kernels),
                    field("scopes", &A::scopes),
                    field("copied_to_device_bytes", &A::copied_to_device_bytes),
                    field("copied_from_device_bytes", &A::copied_from_device_bytes)};
}

}  // namespace apmt
