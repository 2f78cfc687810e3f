#include "service/refitter.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "base/input_error.h"
#include "machine/child_process.h"
#include "service/database.h"
#include "service/refit.h"

namespace apmt::service {
namespace {

void limit(int resource, std::size_t value, std::size_t hard) {
  const rlimit limits{value, hard};
  if (::setrlimit(static_cast<__rlimit_resource>(resource), &limits) != 0)
    throw InputError("", "cannot limit the worker", {}, ExitCode::kFailed);
}

/// The worker must keep neither the server's connections nor its port, which a new server may need.
void close_inherited() {
  constexpr unsigned kFirst = 3;
  if (::close_range(kFirst, ~0U, 0) == 0) return;
  for (int descriptor = kFirst; descriptor < 4096; ++descriptor) ::close(descriptor);
}

std::string cause_of(int status, const RefitLimits& limits) {
  if (!WIFSIGNALED(status))
    return "the fit ended with exit code " + std::to_string(WEXITSTATUS(status));
  switch (WTERMSIG(status)) {
    case SIGXCPU:
      return "the fit took more than " + std::to_string(limits.cpu_s) + " s of CPU time";
    case SIGKILL:
      return "the fit was killed: it took too long, or the machine had no memory left";
    default:
      return "the fit was ended by signal " + std::to_string(WTERMSIG(status));
  }
}

}  // namespace

Refitter::Refitter(Store& store, std::vector<std::string> command, RefitLimits limits,
                   const Retention& retention, Metrics* metrics, Log log)
    : store_(store),
      command_(std::move(command)),
      limits_(limits),
      retention_(retention),
      metrics_(metrics),
      log_(std::move(log)) {
  for (const std::int64_t application : store_.pending()) waiting_.insert(application);
  thread_ = std::thread([this] { work(); });
}

Refitter::~Refitter() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Refitter::request(std::int64_t application) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.insert(application);
  }
  changed_.notify_all();
}

std::size_t Refitter::waiting() const {
  const std::scoped_lock lock(mutex_);
  return waiting_.size();
}

void Refitter::work() {
  while (true) {
    std::int64_t application = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_stopping_ || !waiting_.empty(); });
      if (is_stopping_) return;
      application = *waiting_.begin();
      waiting_.erase(waiting_.begin());
    }
    try {
      refit_one(application);
    } catch (const DatabaseLost& error) {
      log_({LogLine::Level::kWarning,
            "refit put off",
            {{"application", std::to_string(application)}, {"reason", error.what()}}});
      request(application);
      pause();
      continue;
    } catch (const std::exception& error) {
      log_({LogLine::Level::kError,
            "refit failed",
            {{"application", std::to_string(application)}, {"reason", error.what()}}});
      metrics_->count_refit("failed", 0);
    }
    forget_old(application);
  }
}

void Refitter::pause() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(1), [&] { return is_stopping_; });
}

void Refitter::forget_old(std::int64_t application) {
  try {
    const int models = store_.forget_models(application, retention_);
    const int entries = store_.forget_audit(retention_, "server");
    if (models + entries > 0)
      log_({LogLine::Level::kInfo,
            "forgot",
            {{"application", std::to_string(application)},
             {"models", std::to_string(models)},
             {"audit_entries", std::to_string(entries)}}});
  } catch (const std::exception& error) {
    log_({LogLine::Level::kError, "forgetting failed", {{"reason", error.what()}}});
  }
}

int Refitter::wait_for(pid_t worker) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(limits_.wall_s);
  int status = 0;
  while (::waitpid(worker, &status, WNOHANG) == 0) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(20), [&] { return is_stopping_; });
    if (is_stopping_ || std::chrono::steady_clock::now() > last) {
      ::kill(-worker, SIGKILL);
      lock.unlock();
      ::waitpid(worker, &status, 0);
      return status;
    }
  }
  return status;
}

void Refitter::refit_one(std::int64_t application) {
  const std::optional<ApplicationState> before = store_.application(application);
  if (!before || !before->is_pending()) return;
  const std::int64_t judged_before = store_.count_forecasts(application);
  std::vector<std::string> words = command_;
  words.push_back(std::to_string(application));
  const RefitLimits limits = limits_;
  const pid_t worker = start_child({.own_group = true, .ends_with_us = true}, [words, limits] {
    // At the soft limit of CPU time the worker gets SIGXCPU, at the hard one SIGKILL.
    const auto cpu_s = static_cast<std::size_t>(limits.cpu_s);
    limit(RLIMIT_CPU, cpu_s, cpu_s + 5);
    limit(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
    limit(RLIMIT_CORE, 0, 0);
    close_inherited();
    replace_by(words, {});
  });
  const int status = wait_for(worker);
  {
    const std::scoped_lock lock(mutex_);
    if (is_stopping_) return;  // another server will refit
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kDatabaseLostCode)
    throw DatabaseLost("the worker", "lost the connection to the database");
  std::optional<ApplicationState> after = store_.application(application);
  const bool did_try = after && after->fitted_change >= before->change;
  if (!did_try) {
    // The worker died before it could store anything. Without this entry, a fit of the same runs
    // would be tried again and again.
    NewModel failed;
    failed.application = application;
    failed.change = before->change;
    failed.message = cause_of(status, limits_);
    store_.add_model(failed);
    after = store_.application(application);
  }
  const bool is_good = did_try && after->newest && after->newest->is_good;
  const std::int64_t judged_now = store_.count_forecasts(application);
  metrics_->count_refit(is_good   ? "good"
                        : did_try ? "no model"
                                  : "died",
                        static_cast<int>(judged_now - judged_before));
  log_({did_try ? LogLine::Level::kInfo : LogLine::Level::kWarning,
        is_good ? "refitted" : "no model",
        {{"application", std::to_string(application)},
         {"forecasts", std::to_string(judged_now - judged_before)},
         {"reason", after && after->newest ? after->newest->message : ""}}});
  if (after && after->is_pending()) request(application);
}

}  // namespace apmt::service
