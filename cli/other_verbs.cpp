#include "cli/other_verbs.h"

#include "cli/verbs.h"

namespace apmt {

void add_other_verbs(CommandLine& program) {
  add_analyze(program);
  add_learn(program);
  add_advise(program);
  add_match(program);
  add_offload(program);
  add_import(program);
  add_export(program);
  add_serve(program);
  add_push(program);
  add_ask(program);
  add_manual(program);
}

std::function<int()> action_elsewhere(int, const char* const*) { return nullptr; }

}  // namespace apmt
