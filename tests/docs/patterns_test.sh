#!/usr/bin/env bash
# patterns_test.sh ROOT BUILD: every `ctest -R PATTERN` and `ctest -L LABEL` in the documentation must select tests of
# BUILD. ctest ends with exit code 0 even if a pattern selects none.
set -euo pipefail
root=$1 build=$2
count=0 failures=0
# Prints a line "PAGE:COMMAND" for each `ctest -R` and `ctest -L` command (no other ctest commands), without the
# variable before the command. A page may break a command across two lines.
commands() {
  local page
  for page in README.md docs/*.md; do
    tr '\n' ' ' <"$page" | grep -oE '`(APMT_[A-Z_]+=[^ ]+ )?ctest +-[RL] [^`]+`' | tr -d '`' |
      sed -E "s|^(APMT_[^ ]+ )?|$page:|" || true
  done
}
while IFS=: read -r page command; do
  count=$((count + 1))
  eval "words=($command)" # the page quotes patterns as a shell does
  selected=$(ctest --test-dir "$build" -N "${words[@]:1}" | sed -n 's/^Total Tests: //p')
  ((selected > 0)) || { echo "$page: \`$command\` selects no test" && failures=$((failures + 1)); }
done < <(cd "$root" && commands)
echo "$count commands, $failures select no test"
((count > 3 && failures == 0))
