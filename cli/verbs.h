// One function per verb. It declares the verb's arguments and the function that runs when the verb
// is called.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/problem_sizes.h"
#include "cli/arguments.h"

namespace apmt {

void add_run(CommandLine& program);
void add_record(CommandLine& program);
void add_simulate(CommandLine& program);
void add_info(CommandLine& program);
void add_merge(CommandLine& program);
void add_fit(CommandLine& program);
void add_predict(CommandLine& program);
void add_calibrate(CommandLine& program);
void add_doctor(CommandLine& program);
void add_report(CommandLine& program);
void add_check(CommandLine& program);
void add_diff(CommandLine& program);
void add_history(CommandLine& program);
void add_validate(CommandLine& program);
void add_refine(CommandLine& program);
void add_import(CommandLine& program);
void add_learn(CommandLine& program);
void add_advise(CommandLine& program);
void add_analyze(CommandLine& program);
void add_match(CommandLine& program);
void add_offload(CommandLine& program);
void add_export(CommandLine& program);
void add_serve(CommandLine& program);
void add_push(CommandLine& program);
void add_ask(CommandLine& program);
void add_manual(CommandLine& program);

/// Parses named problem sizes: "n=1000,iter=5", or several such texts. Throws InputError.
std::map<std::string, double> parse_sizes(const std::vector<std::string>& items,
                                          SizeNames names = SizeNames::kRecorded);

}  // namespace apmt
