#!/usr/bin/env bash
# rest_test.sh ROOT: checks in which order tests/rest.sh runs its parts, and which it leaves out for want of time. The
# parts that it starts here are replaced, so that nothing is installed or built.
set -euo pipefail

root=${1:?usage: rest_test.sh ROOT}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tree/tests" "$scratch/passed"
export APMT_PARTS_PASSED=$scratch/passed

# A copy of the script with five parts in place of its own.
awk '/^part / || /^for fuzzer/ {skipping = 1}
     skipping && !done {print "part one 1 \"\" true"; print "part two 2 \"\" true"; print "part three 3 \"\" true"
                        print "part bad 1 \"\" false"
                        print "part ctest 1 \"\" \"cat ../lines; false\""
                        print "part absent 1 \"\" \"cat ../skips\""; done = 1}
     /^within=/ {skipping = 0}
     !skipping' "$root/tests/rest.sh" >"$scratch/tree/tests/rest.sh"
rest() { bash "$scratch/tree/tests/rest.sh" "$@"; }
names() { cut -d ' ' -f 1 | tr '\n' ' '; }

expect() { # expect WHAT WANTED FOUND
  [[ $2 == "$3" ]] || { echo "$1: expected '$2', found '$3'" >&2 && exit 1; }
}

touch -d '2026-01-03' "$scratch/passed/one.passed"
touch -d '2026-01-01' "$scratch/passed/two.passed"
touch -d '2026-01-02' "$scratch/passed/three.passed"
touch -d '2026-01-04' "$scratch/passed/bad.passed"
touch -d '2026-01-05' "$scratch/passed/ctest.passed"
touch -d '2026-01-06' "$scratch/passed/absent.passed"
expect "the part that passed longest ago is first" "two three one bad ctest absent " "$(rest --list | names)"
rm "$scratch/passed/one.passed"
expect "a part that never passed comes before it" "one two three bad ctest absent " "$(rest --list | names)"

expect "a part can be left out" "one two three ctest absent " "$(rest --except bad --list | names)"

out=$(rest --within 2 one two three)
expect "parts that take too long are not started" "one two " "$(grep passed <<<"$out" | grep -v ', ' | names)"
expect "and are named" "Not run, for want of time: three" "$(grep '^Not run' <<<"$out")"
expect "the last line counts" "2 passed, 0 failed, 0 skipped" "$(tail -n 1 <<<"$out")"
expect "a part that ran goes to the end" "three bad ctest absent one two " "$(rest --list | names)"

code=0
out=$(rest bad) || code=$?
expect "a part that fails is a failure" 1 "$code"
expect "and is counted" "0 passed, 1 failed, 0 skipped" "$(tail -n 1 <<<"$out")"
expect "a part that failed keeps its turn" "three bad ctest absent one two " "$(rest --list | names)"
out=$(rest --tolerate 'b*' bad)
expect "a failure that is tolerated is counted" "0 passed, 1 failed, 0 skipped" "$(tail -n 1 <<<"$out")"
expect "and named" "1 of the failures are in parts that may fail (b*)" "$(grep 'may fail' <<<"$out")"
code=0
rest --tolerate 'o*' bad >/dev/null || code=$?
expect "other failures still fail" 1 "$code"
cat >"$scratch/lines" <<'LINES'
      Start  7: good
1/2 Test  #7: good .........   Passed    0.10 sec
the reason
2/2 Test  #8: wrong ........***Failed    0.10 sec
LINES
expect "of a part's tests, those that failed are shown" "the reason
2/2 Test  #8: wrong ........***Failed    0.10 sec" "$(rest ctest | sed -n 's/^  | //p')"
cat >"$scratch/skips" <<'LINES'
1/2 Test  #7: good .........***Skipped   0.10 sec
2/2 Test  #8: wrong ........***Skipped   0.10 sec
100% tests passed, 0 tests failed out of 2
LINES
expect "a part whose tests were all skipped did not pass" "0 passed, 0 failed, 1 skipped" "$(rest absent | tail -n 1)"
expect "and keeps its turn" "three bad ctest absent one two " "$(rest --list | names)"
code=0
rest none 2>"$scratch/err" || code=$?
expect "an unknown part is a usage error" 2 "$code"
echo "parts run in turn"
