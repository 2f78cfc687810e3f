#include "service/program_history.h"

#include "base/input_error.h"
#include "history/history.h"
#include "reports/history.h"
#include "reports/render.h"
#include "service/database.h"

namespace apmt::service {
namespace {

constexpr std::size_t kMostVersions = 100;
constexpr int kMostRunsOfAVersion = 20;

/// The newest applications with this name and machine, at most kMostVersions, the newest last.
std::vector<ApplicationState> versions_in(Store& store, const RunLabels& labels) {
  ApplicationFilter filter;
  filter.name = labels.name;
  filter.machine = labels.machine;
  std::vector<ApplicationState> all;
  while (true) {
    const std::vector<ApplicationState> some = store.applications(filter);
    if (some.empty()) break;
    filter.after = some.back().application.id;
    all.insert(all.end(), some.begin(), some.end());
  }
  if (all.size() > kMostVersions)
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kMostVersions));
  return all;
}

/// A run, with the version that its sender gave, even if the recording states another.
NamedRun named_run(Store& store, const StoredRun& stored, const RunLabels& labels) {
  RunProfile run = profile_from_text(store.profile_of(stored.number), "run " + stored.id);
  give_name(labels.name, &run);
  run.environment["APMT_VERSION"] = labels.version;
  return {std::move(run), {}};
}

}  // namespace

void update_history(Store& store, const Application& application) {
  const std::vector<ApplicationState> versions = versions_in(store, application.labels);
  if (versions.size() < 2) return;
  std::vector<NamedRun> runs;
  for (const ApplicationState& version : versions)
    for (const StoredRun& run : store.runs_of(version.application.id, 0, kMostRunsOfAVersion))
      if (!run.taken_out_because) runs.push_back(named_run(store, run, version.application.labels));
  try {
    const Report report = make_history_report(make_history(versions_of(std::move(runs))));
    store.set_history(application.labels.name, application.labels.machine,
                      {{}, format_json(to_json(report)), render_html(report)});
  } catch (const DatabaseLost&) {
    throw;
  } catch (const InputError&) {
    // Too few versions have runs that are not excluded, so the history stays as it is.
  }
}

}  // namespace apmt::service
