#!/usr/bin/env bash
# Runs the commands of the transcripts in Markdown files and compares their output with the output shown there.
usage() {
  cat <<'END'
usage: run_transcripts.sh [-p FOLDER]... FILE.md...

Every fenced block whose language is `console` is run:

  ```console
  $ command
  the output it should print, standard error included
  ```

  -p FOLDER  put FOLDER in front of PATH; the first one given is searched first

Each `$ command` runs in a bash of its own, all commands of a file in one temporary folder that is
empty at first. A command that ends in a backslash goes on in the next line (a leading `> ` there is
dropped). A command must end with exit code 0; one that should fail is written `command; echo $?`.

In the output numbers match any number, with the blanks around them and a sign in front; blanks at
the end of a line do not count. A line that is only `...` matches any lines, or none. The rest of
the fence line may say otherwise:

  ```console no-run         the block is left alone
  ```console exact          numbers count too
  ```console exact=REGEX    they count in lines that match the extended regular expression

Exit code 0 when all is as shown, 1 when something differs, 2 when a file has no transcript to run
or is malformed. A command is ended after $TRANSCRIPT_TIMEOUT seconds (default 100).
END
}

set -u
export LC_ALL=C COLUMNS=100 TERM=dumb

folders=
while getopts p:h option; do
  case $option in
    p) folders=$folders$(cd "$OPTARG" && pwd): || { echo "no folder $OPTARG" >&2; exit 2; } ;;
    h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { usage >&2; exit 2; }
export PATH=$folders$PATH

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

differences=0 malformed=0 commands=0

complain() { # place message
  echo "$1: $2"
  malformed=$((malformed + 1))
}

# Reads standard input into the array `comparable`, one line per element, and removes trailing blanks. In lines that do
# not match the regex, `#` replaces each number.
read_comparable() { # regex of exact lines
  local line rest masked
  local number='[[:blank:]]*[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?[[:blank:]]*'
  local signed='(^|[][[:blank:]()=:,~])[-+]([0-9])'
  comparable=()
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%$'\r'}
    line=${line%"${line##*[![:space:]]}"}
    if [ -z "$1" ] || [[ ! $line =~ $1 ]]; then
      rest=$line masked=
      while [[ $rest =~ $signed ]]; do
        masked=$masked${rest%%"${BASH_REMATCH[0]}"*}${BASH_REMATCH[1]}
        rest=${BASH_REMATCH[2]}${rest#*"${BASH_REMATCH[0]}"}
      done
      rest=$masked$rest masked=
      while [[ $rest =~ $number ]]; do
        masked=$masked${rest%%"${BASH_REMATCH[0]}"*}'#'
        rest=${rest#*"${BASH_REMATCH[0]}"}
      done
      line=$masked$rest
    fi
    comparable+=("$line")
  done
}

# Whether the lines of `actual` match those of `expected`, where `...` stands for any lines. If not, `mismatch` is the
# index (from 0) of the first expected line without a match.
matches() {
  local e=0 a=0 retry_e=-1 retry_a=0
  mismatch=0
  while [ $a -lt ${#actual[@]} ]; do
    if [ $e -lt ${#expected[@]} ] && [ "${expected[e]}" = ... ]; then
      e=$((e + 1)) retry_e=$e retry_a=$a
    elif [ $e -lt ${#expected[@]} ] && [ "${expected[e]}" = "${actual[a]}" ]; then
      e=$((e + 1)) a=$((a + 1))
    elif [ $retry_e -ge 0 ]; then
      [ $e -gt $mismatch ] && mismatch=$e
      retry_a=$((retry_a + 1)) e=$retry_e a=$retry_a
    else
      mismatch=$e
      return 1
    fi
  done
  while [ $e -lt ${#expected[@]} ] && [ "${expected[e]}" = ... ]; do e=$((e + 1)); done
  [ $e -eq ${#expected[@]} ] && return 0
  [ $e -gt $mismatch ] && mismatch=$e
  return 1
}

run_command() { # place command expected-text exact-regex work-folder
  local status output comparable=() expected=() actual=() mismatch=0 why=
  commands=$((commands + 1))
  output=$scratch/output
  (cd "$5" && timeout -k 5 "${TRANSCRIPT_TIMEOUT:-100}" bash -c "$2") >"$output" 2>&1 </dev/null
  status=$?
  read_comparable "$4" <<<"$3"
  [ -n "$3" ] && expected=("${comparable[@]}")
  read_comparable "$4" <"$output"
  actual=(${comparable[@]+"${comparable[@]}"})
  if [ $status -eq 124 ] || [ $status -eq 137 ]; then
    why="was still running after ${TRANSCRIPT_TIMEOUT:-100} s, or was killed"
  elif [ $status -ne 0 ]; then
    why="ended with exit code $status"
  elif ! matches; then
    why="printed something else; first at line $((mismatch + 1)) of what is shown"
  fi
  [ -z "$why" ] && return
  differences=$((differences + 1))
  echo "$1: \`$2\` $why"
  echo "--- shown"
  [ -n "$3" ] && printf '%s\n' "$3"
  echo "--- printed"
  cat "$output"
  echo "---"
}

run_block() { # file first-line exact-regex work-folder; lines in the array `block`
  local i=0 place command text
  while [ $i -lt ${#block[@]} ] && [ -z "${block[i]}" ]; do i=$((i + 1)); done
  if [ $i -ge ${#block[@]} ] || [ "${block[i]#'$ '}" = "${block[i]}" ]; then
    complain "$1:$2" 'a console block must begin with a line "$ command"'
    return
  fi
  while [ $i -lt ${#block[@]} ]; do
    place=$1:$(($2 + i))
    command=${block[i]#'$ '} text=
    i=$((i + 1))
    while [ "${command%\\}" != "$command" ] && [ $i -lt ${#block[@]} ]; do
      command=$command$'\n'${block[i]#'> '}
      i=$((i + 1))
    done
    while [ $i -lt ${#block[@]} ] && [ "${block[i]#'$ '}" = "${block[i]}" ]; do
      text=$text${text:+$'\n'}${block[i]}
      i=$((i + 1))
    done
    run_command "$place" "$command" "$text" "$3" "$4"
  done
}

run_file() { # file
  local line number=0 fence='' info='' first=0 block=() exact work before=$commands
  work=$(mktemp -d "$scratch/work.XXXXXX") || exit 2
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    line=${line%$'\r'}
    if [ -z "$fence" ]; then
      if [[ $line =~ ^(\`\`\`+)(.*)$ ]]; then
        fence=${BASH_REMATCH[1]} info=${BASH_REMATCH[2]} first=$((number + 1)) block=()
      fi
    elif [[ $line =~ ^(\`\`\`+)[[:blank:]]*$ && ${#BASH_REMATCH[1]} -ge ${#fence} ]]; then
      fence=
      case $info in
        console) run_block "$1" $first '' "$work" ;;
        'console exact') run_block "$1" $first '^' "$work" ;;
        'console exact='?*)
          exact=${info#console exact=}
          printf '' | grep -E -e "$exact" >/dev/null 2>&1
          if [ $? -ne 2 ]; then
            run_block "$1" $first "$exact" "$work"
          else
            complain "$1:$((first - 1))" "'$exact' is not a regular expression"
          fi ;;
        'console no-run') ;;
        console*) complain "$1:$((first - 1))" "unknown directive in \"$info\"" ;;
      esac
    else
      block+=("$line")
    fi
  done <"$1"
  [ -z "$fence" ] || complain "$1:$((first - 1))" 'the block that begins here has no end'
  [ $commands -gt $before ] || complain "$1" 'no transcript in it'
}

for file in "$@"; do
  if [ -f "$file" ] && [ -r "$file" ]; then
    run_file "$file"
  else
    complain "$file" 'cannot be read'
  fi
done
echo "$commands commands, $differences not as shown, $malformed mistakes in files"
[ $malformed -eq 0 ] || exit 2
[ $differences -eq 0 ] || exit 1
exit 0
