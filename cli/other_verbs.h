// The verbs that most users do not need: for devices, kernels, formats of other tools, models on a
// server, and manual pages. They are in a separate program, apmt-full, which contains all verbs. So
// apmt depends on fewer libraries, and is built sooner. When one of these verbs is called, apmt
// replaces itself with apmt-full.
#pragma once

#include <functional>

#include "cli/arguments.h"

namespace apmt {

struct OtherVerb {
  const char* name;
  const char* help;
};

inline constexpr OtherVerb kAnalyze = {"analyze", "Analyse what the kernels of a program compute"};
inline constexpr OtherVerb kLearn = {"learn",
                                     "Train models that predict which device suits a kernel"};
inline constexpr OtherVerb kAdvise = {"advise",
                                      "Predict which device suits a kernel, from ported kernels"};
inline constexpr OtherVerb kMatch = {"match", "Rank devices for the kernels of an analysis"};
inline constexpr OtherVerb kOffload = {"offload",
                                       "Predict a program at scale with kernels on devices"};
inline constexpr OtherVerb kImport = {"import",
                                      "Make an experiment from measurements of other tools"};
inline constexpr OtherVerb kExport = {"export",
                                      "Print measurements for other tools, or a model as formulas"};
inline constexpr OtherVerb kServe = {"serve",
                                     "Serve models of a team's programs, kept current, by HTTP"};
inline constexpr OtherVerb kPush = {"push", "Send runs to a server of apmt serve"};
inline constexpr OtherVerb kAsk = {"ask",
                                   "Find the processes and nodes for a deadline or a budget"};
inline constexpr OtherVerb kManual = {
    "manual", "Print the manual page of apmt or of a verb, or a shell's completion"};

/// Adds the verbs that apmt only lists and that apmt-full can run.
void add_other_verbs(CommandLine& program);

/// In apmt, if the words call one of these verbs: returns an action that replaces this process with
/// apmt-full, and throws InputError if apmt-full is missing. Otherwise, and in apmt-full: returns
/// an empty function.
std::function<int()> action_elsewhere(int argc, const char* const* argv);

}  // namespace apmt
