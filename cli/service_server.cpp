// apmt serve: starts the server, refits its models, and manages its tokens and its store.

#include <cstdio>
#include <cstdlib>

#include "base/input_error.h"
#include "base/words.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/service_access.h"
#include "service/database.h"
#include "service/refit.h"
#include "service/server.h"
#include "service/store_address.h"
#include "service/store_care.h"
#include "service/tokens.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWho = "command line";
constexpr const char* kStoreVariable = "APMT_STORE";

service::Configuration configuration_of(const ServeOptions& options) {
  service::Configuration configuration;
  if (!options.configuration.empty())
    configuration = service::read_configuration(options.configuration);
  // The address of the store may contain a password, and all users of the machine can see options
  // (`ps`). So the address may also be given in an environment variable.
  if (const char* store = std::getenv(kStoreVariable)) configuration.store = store;
  if (!options.listen.empty()) configuration.listen = options.listen;
  if (!options.store.empty()) {
    configuration.store = options.store;
    if (service::store_address(options.store).has_password())
      logging::warn("other users see the password in --store; set {} instead", kStoreVariable);
  }
  if (!options.log.empty()) configuration.log = options.log;
  if (options.anonymous_reading) configuration.anonymous_reading = true;
  return configuration;
}

int serve(const service::Configuration& configuration) {
  const std::vector<std::string> refit = {fs::read_symlink("/proc/self/exe").string(), "--quiet",
                                          "serve", "refit"};
  ::setenv(kStoreVariable, configuration.store.c_str(), 1);  // for the workers
  (void)configs_dir();  // throws if the installation is incomplete
  logging::set_up_server(configuration.log == "json");
  service::serve(configuration, refit, [](const service::LogLine& line) {
    using Level = service::LogLine::Level;
    logging::event(line.level == Level::kInfo      ? logging::Level::kInfo
                   : line.level == Level::kWarning ? logging::Level::kWarning
                                                   : logging::Level::kError,
                   line.event, line.fields);
  });
  return 0;
}

int add_token(service::Store& store, const std::string& name, const ServeOptions& options) {
  const service::NewToken token = service::make_token(name, service::role_from(options.role),
                                                      options.days, service::Scope(options.only));
  store.add_token(token.stored, kWho);
  std::printf("%s\n", token.text.c_str());
  logging::info("the token of role {} is shown only this once", options.role);
  return 0;
}

int list_tokens(service::Store& store) {
  for (const service::Token& token : store.tokens()) {
    const std::string state = !token.revoked_at.empty()   ? "revoked " + token.revoked_at
                              : !token.expires_at.empty() ? "expires " + token.expires_at
                                                          : "valid";
    const std::string scope = token.scope.is_all() ? "" : "  for " + service::to_text(token.scope);
    std::printf("%s  %-6s  %s  %s  %s%s\n", token.id.c_str(),
                service::to_string(token.role).c_str(), token.made_at.c_str(), state.c_str(),
                token.name.c_str(), scope.c_str());
  }
  return 0;
}

int revoke_token(service::Store& store, const std::string& id) {
  if (!store.revoke_token(id, kWho))
    throw InputError(id, "is no valid token", "apmt serve token list shows the ids");
  return 0;
}

int check_store(const std::string& store) {
  const std::vector<std::string> faults = service::faults_of(store);
  for (const std::string& fault : faults) logging::error("{}", fault);
  if (faults.empty()) logging::info("{} has no fault", service::store_address(store).shown);
  return static_cast<int>(faults.empty() ? ExitCode::kOk : ExitCode::kFailed);
}

int refit_once(const std::string& address, const std::string& id) {
  const std::unique_ptr<service::Store> store = service::open_store(address);
  const service::Refit result = service::refit(*store, std::stoll(id), configs_dir());
  if (result.is_good)
    logging::info("fitted; {} runs were forecast", result.judged);
  else
    logging::info("no model: {}", result.message);
  return 0;
}

int refit(const std::string& address, const std::string& id) {
  try {
    return refit_once(address, id);
  } catch (const service::DatabaseLost& error) {
    logging::warn("{}", error.what());
    return service::kDatabaseLostCode;
  }
}

}  // namespace

int serve_or_care(const ServeOptions& options) {
  const service::Configuration configuration = configuration_of(options);
  const std::vector<std::string>& words = options.action;
  if (words.empty()) return serve(configuration);
  const auto is = [&](std::size_t count, const char* first, const char* second = nullptr) {
    return words.size() == count && words[0] == first && (second == nullptr || words[1] == second);
  };
  if (is(2, "refit") && words[1].find_first_not_of("0123456789") == std::string::npos &&
      words[1].size() < 19)
    return refit(configuration.store, words[1]);
  if (is(3, "token", "add"))
    return add_token(*service::open_store(configuration.store), words[2], options);
  if (is(2, "token", "list")) return list_tokens(*service::open_store(configuration.store));
  if (is(3, "token", "revoke"))
    return revoke_token(*service::open_store(configuration.store), words[2]);
  if (is(1, "check")) return check_store(configuration.store);
  if (is(2, "backup")) {
    service::back_up(configuration.store, words[1]);
    return 0;
  }
  if (is(2, "restore")) {
    service::restore(configuration.store, words[1]);
    return 0;
  }
  if (is(1, "prune")) {
    const int models = service::forget_old(*service::open_store(configuration.store),
                                           configuration.retention, kWho);
    logging::info("deleted text and page of {}", counted(models, "old model"));
    return 0;
  }
  if (is(2, "export")) {
    const int runs = service::export_runs(*service::open_store(configuration.store), words[1]);
    logging::info("exported {} runs into {}", runs, words[1]);
    return 0;
  }
  throw InputError("apmt serve", "unknown action '" + words.front() + "', or wrong words after it",
                   "apmt serve --help lists the actions");
}

}  // namespace apmt
