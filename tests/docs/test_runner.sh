#!/usr/bin/env bash
# Tests run_transcripts.sh with Markdown files that must pass and files that must not.
set -u
runner=$(cd "$(dirname "$0")" && pwd)/run_transcripts.sh
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cases=0 failures=0

# expect CODE "TEXT IN THE OUTPUT" NAME <MARKDOWN: runs the transcripts in MARKDOWN
expect() {
  local output status
  cat >"$folder/case.md"
  cases=$((cases + 1))
  output=$("$runner" -p "$folder/bin" "$folder/case.md" 2>&1)
  status=$?
  if [ $status -ne "$1" ] || [[ $output != *"$2"* ]]; then
    failures=$((failures + 1))
    echo "FAILED: $3: exit code $status, not $1, or no \"$2\" in:"
    echo "$output"
  fi
}

mkdir "$folder/bin"
printf '#!/bin/sh\necho "called with: $*"\n' >"$folder/bin/a-tool"
chmod +x "$folder/bin/a-tool"

expect 0 '6 commands, 0 not as shown' 'what passes' <<'END'
Text with `$ not a command`.
```sh
$ exit 3
```
```console
$ a-tool with arguments
called with: with arguments
$ echo one > file; true
$ cat file
one
```
The folder is shared by the blocks, and trailing blanks do not count.
```console
$ cat file; printf 'two   \n\n'
one   
two

$ false; echo "exit code $?"
exit code 1
$ echo "to the error stream" >&2
to the error stream
```
```console no-run
$ exit 4
```
END
expect 0 '1 commands, 0 not' 'numbers match numbers' <<'END'
```console
$ printf 'took 1.5 s\n  12 x\n a  -3.25e-07 %%, n=7 10:20 v2\n'
took 12.25 s
   3 x
 a 4 %, n=+700 5:6 v10
```
END
expect 1 'line 2 of what is shown' 'a word is not a number' <<'END'
```console
$ printf 'first 1\nsecond 2\n'
first 1
second two
```
END
expect 1 '1 not as shown' 'nan is not a number' <<'END'
```console
$ echo nan s
1.5 s
```
END
expect 1 '1 not as shown' 'two numbers are not one' <<'END'
```console
$ echo 'a 1 / 2'
a 1
```
END
expect 0 ' 0 not' 'dots stand for any lines' <<'END'
```console
$ seq 1 5; echo end; echo end; echo last
...
end
last
$ echo begin; echo a; echo middle; echo b; echo end
begin
...
middle
...
end
...
$ echo anything
...
$ true
...
```
END
expect 1 '1 not as shown' 'dots do not hide a line that is missing' <<'END'
```console
$ echo a; echo b
...
missing
...
```
END
expect 1 '1 not as shown' 'after dots the rest counts' <<'END'
```console
$ echo a; echo b; echo c
...
b
```
END
expect 1 '1 not as shown' 'output that is not shown' <<'END'
```console
$ echo a; echo b
a
```
END
expect 1 '1 not as shown' 'output where none is shown' <<'END'
```console
$ echo a
```
END
expect 1 '1 not as shown' 'no output where some is shown' <<'END'
```console
$ true
a
```
END
expect 1 'case.md:4: `exit 3` ended with exit code 3' 'an exit code, with its place' <<'END'
Text
```console
$ true
$ exit 3
```
END
expect 1 '1 not as shown' 'indentation before words counts' <<'END'
```console
$ echo '    word'
word
```
END
expect 1 '1 not as shown' 'exact numbers' <<'END'
```console exact
$ echo 'sum 12'
sum 13
```
END
expect 0 ' 0 not' 'exact lines by a regular expression' <<'END'
```console exact=^ok |^sum
$ printf 'time 5\nok x 12\nsum 3\n'
time 7
ok x 12
sum 3
```
END
expect 1 '1 not as shown' 'exact lines that differ' <<'END'
```console exact=^ok |^sum
$ printf 'time 5\nok x 12\n'
time 7
ok x 13
```
END
expect 0 '2 commands, 0 not' 'a command over several lines' <<'END'
```console
$ echo a \
    b
a b
$ echo c \
> d
c d
```
END
expect 0 '1 commands' 'a longer fence holds a shorter one' <<'END'
````markdown
```console
$ exit 1
```
````
```console
$ true
```
END
expect 2 'no transcript' 'a file without a transcript' <<'END'
Nothing.
```console no-run
$ true
```
END
expect 2 'has no end' 'a block without an end' <<'END'
```console
$ true
END
expect 2 'must begin with' 'a block without a command' <<'END'
```console
true
```
END
expect 2 'unknown directive' 'a directive that does not exist' <<'END'
```console norun
$ true
```
END
expect 2 'not a regular expression' 'a broken regular expression' <<'END'
```console exact=(
$ true
```
END
TRANSCRIPT_TIMEOUT=1 expect 1 'still running' 'a command that hangs' <<'END'
```console
$ sleep 60
```
END
cases=$((cases + 1))
"$runner" "$folder/missing.md" >/dev/null 2>&1
[ $? -eq 2 ] || { failures=$((failures + 1)); echo 'FAILED: a file that does not exist'; }

echo "$cases cases, $failures failed"
[ $failures -eq 0 ]
