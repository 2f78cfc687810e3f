#include "kernels/runtime/session.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>

#include "kernels/analysers/instruction_mix.h"
#include "kernels/merge.h"
#include "kernels/program_code.h"
#include "kernels/runtime/kernel_choice.h"
#include "kernels/runtime/part.h"
#include "kernels/runtime/spare_counters.h"

namespace apmt::kernels {
namespace {

class Locked {
 public:
  explicit Locked(pthread_mutex_t* lock) : lock_(lock) { ::pthread_mutex_lock(lock_); }
  ~Locked() { ::pthread_mutex_unlock(lock_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  pthread_mutex_t* lock_;
};

std::span<const std::byte> bytes_of(const ModuleRecord& record) {
  return {static_cast<const std::byte*>(record.program), record.program_bytes};
}

}  // namespace

Session& Session::get() {
  alignas(Session) static char place[sizeof(Session)];
  static Session* session = new (place) Session;
  return *session;
}

Session::Session() : lock_(PTHREAD_MUTEX_INITIALIZER), settings_(settings_from_environment()) {
  is_over_ = settings_.folder.empty();
  is_analysed_ = !is_over_ && settings_.is_analysed();
  if (is_over_) return;
  if (is_analysed_) analysers_ = make_analysers(*settings_.analysers);
  ::pthread_atfork(before_fork, after_fork_here, after_fork_in_child);
}

void Session::add_module(ModuleRecord* record) {
  const Locked locked(&lock_);
  const std::uint64_t first = counter_of_.size();
  if (first + record->blocks > kMostBlocks) {
    turn_off("the program has more blocks than can be counted");
    return;
  }
  record->first_block = first;
  record->first_function = program_.functions.size();
  for (std::uint64_t b = 0; b < record->blocks; ++b)
    counter_of_.push_back(static_cast<std::uint32_t>(first) + record->counter_of[b]);
  if (is_over_) return;
  try {
    Decoded module = decode(bytes_of(*record));
    if (!module.fault.empty() || module.program.blocks.size() != record->blocks)
      return turn_off("the program was instrumented by another version: build it again");
    append(module.program, &program_);
    annotate(settings_.annotations, &program_);
    is_begun_ = false;
    counted_of_.clear();  // calls may now have other callees
  } catch (const std::exception& error) {
    turn_off(error.what());
  }
}

std::uint64_t* Session::new_counters() {
  void* memory = ::mmap(nullptr, kCounterBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const Locked locked(&lock_);
  counters_.push_back(static_cast<std::uint64_t*>(memory));
  return counters_.back();
}

void Session::end_counters(std::uint64_t* counters) {
  const Locked locked(&lock_);
  if (std::erase(counters_, counters) == 0) return;
  ended_counts_.resize(counter_of_.size());
  for (std::size_t b = 0; b < ended_counts_.size(); ++b) ended_counts_[b] += counters[b];
  ::munmap(counters, kCounterBytes);
}

bool Session::begin_kernel(int thread) {
  int nobody = -1;
  return __atomic_compare_exchange_n(&owner_, &nobody, thread, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

const Session::CountedKernel* Session::counted_kernel(std::uint64_t function, bool is_skipped) {
  if (!need_only_counts(*settings_.analysers, is_skipped)) return nullptr;
  const Locked locked(&lock_);
  const auto [known, is_new] = counted_of_.try_emplace(function, nullptr);
  if (!is_new) return known->second;
  const auto code = countable_code(program_, static_cast<std::uint32_t>(function));
  if (!code) return nullptr;
  CountedKernel& kernel = counted_.emplace_back();
  kernel.functions = code->functions;
  for (const std::uint32_t block : code->blocks)
    kernel.blocks.push_back({block, counter_of_[block]});
  return known->second = &kernel;
}

Word Session::begin_mark(std::uint64_t function) {
  const bool is_skipped =
      settings_.skips_invocations && may_skip(*settings_.analysers) && !followed_.next(function);
  return mark(is_skipped ? Mark::kKernelSkipped : Mark::kKernelBegin, function);
}

const Session::Kernels* Session::choose_kernels() {
  const Locked locked(&lock_);
  if (choices_.empty() || choices_.back().size() != program_.functions.size()) {
    choices_.push_back(settings_.kernels.empty() ? kernels_found(program_)
                                                 : kernels_named(program_, settings_.kernels));
    __atomic_store_n(&kernels_, &choices_.back(), __ATOMIC_RELEASE);
  }
  return &choices_.back();
}

void Session::begin_analysers() {
  if (!is_begun_)
    for (const auto& analyser : analysers_) analyser->begin(program_);
  is_begun_ = true;
}

void Session::consume(unsigned thread, std::span<const Word> words) {
  const Locked locked(&lock_);
  if (is_over_ || words.empty()) return;
  try {
    begin_analysers();
    has_events_ = true;
    for (const auto& analyser : analysers_) analyser->consume(thread, words);
  } catch (const std::exception& error) {
    turn_off(error.what());
  }
}

void Session::finish() {
  const Locked locked(&lock_);
  if (is_over_) return;
  is_over_ = true;
  stop_analysing();
  try {
    Analysis analysis;
    if (has_events_) {
      begin_analysers();  // a module may have been loaded after the last event
      for (const auto& analyser : analysers_) analyser->finish(&analysis);
    }
    // Adds the counts of code that ran without writing events.
    merge_scopes(scopes_of(program_, counts()), &analysis.scopes);
    write_part(settings_, analysis);
  } catch (const std::exception& error) {
    turn_off(error.what());
  }
}

std::vector<std::uint64_t> Session::counts() const {
  std::vector<std::uint64_t> sums(counter_of_.size());
  for (std::size_t b = 0; b < sums.size(); ++b) {
    const std::uint32_t counter = counter_of_[b];
    if (counter < ended_counts_.size()) sums[b] += ended_counts_[counter];
    for (const std::uint64_t* thread : counters_) sums[b] += thread[counter];
    if (const std::uint64_t* spare = spare_counters_used()) sums[b] += spare[counter];
  }
  return sums;
}

void Session::turn_off(const char* reason) {
  if (!settings_.folder.empty())
    std::fprintf(stderr, "apmt: this process (%ld) is no longer analysed: %s\n",
                 static_cast<long>(::getpid()), reason);
  is_over_ = true;
  stop_analysing();
}

void Session::before_fork() { ::pthread_mutex_lock(&get().lock_); }
void Session::after_fork_here() { ::pthread_mutex_unlock(&get().lock_); }

/// Turns analysis off in the child, which would count its parent's earlier work a second time.
void Session::after_fork_in_child() {
  Session& session = get();
  session.is_over_ = true;
  session.stop_analysing();
  session.owner_ = -1;
  ::pthread_mutex_unlock(&session.lock_);
}

}  // namespace apmt::kernels
