// One function per verb: it declares its arguments and says what to do when the verb is called.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace apmt {

/// Set by the chosen verb while arguments are parsed, called afterwards; returns the exit code.
using Action = std::function<int()>;

void add_run(CLI::App& app, Action* action);
void add_record(CLI::App& app, Action* action);
void add_simulate(CLI::App& app, Action* action);
void add_info(CLI::App& app, Action* action);
void add_fit(CLI::App& app, Action* action);
void add_predict(CLI::App& app, Action* action);
void add_calibrate(CLI::App& app, Action* action);
void add_doctor(CLI::App& app, Action* action);
void add_report(CLI::App& app, Action* action);
void add_check(CLI::App& app, Action* action);
void add_diff(CLI::App& app, Action* action);
void add_validate(CLI::App& app, Action* action);
void add_refine(CLI::App& app, Action* action);
void add_import(CLI::App& app, Action* action);
void add_export(CLI::App& app, Action* action);

/// "n=1000,iter=5" or repeated "n=1000": named problem sizes. Throws InputError.
std::map<std::string, double> parse_sizes(const std::vector<std::string>& items);

}  // namespace apmt
