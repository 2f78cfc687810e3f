"""manual_test.py BUILD_DIR PART: checks that every verb and option that --help shows is in the manual pages and in
each shell's completion, and that a real shell completes with them. PART: pages, readme (the table of verbs), bash, zsh,
fish, version, programs (what apmt leaves to apmt-full). Exit code 77: the program that the part needs is not installed."""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

build = os.path.abspath(sys.argv[1])
part = sys.argv[2]
apmt = os.path.join(build, "bin", "apmt")
written = os.path.join(build, "manual")
source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# A folder with one file, in which the shells complete file names.
scratch = tempfile.TemporaryDirectory()
os.mkdir(os.path.join(scratch.name, "runs"))
with open(os.path.join(scratch.name, "runs", "only.json"), "w", encoding="utf-8"):
    pass


def run(*words, **more):
    return subprocess.run(words, check=True, text=True, capture_output=True, **more).stdout


def need(program):
    if shutil.which(program) is None:
        print(f"SKIP: {program} is not installed")
        sys.exit(77)


def check(good, what):
    if not good:
        print("FAILED:", what)
        sys.exit(1)


def read(*path):
    with open(os.path.join(written, *path), encoding="utf-8") as file:
        return file.read()


def options_in(help_text):
    """The names of options at the start of the lines of a help text: ['-d', '--dir', ...]."""
    names = []
    for line in help_text.splitlines():
        match = re.match(r"  ((?:-\w|--[\w-]+)(?:,--[\w-]+)*)(?: |$)", line)
        if match:
            names += match.group(1).split(",")
    return names


def verbs_in(help_text):
    subcommands = help_text[help_text.index("Subcommands:"):help_text.index("Begin with:")]
    return re.findall(r"^  ([a-z]+) ", subcommands, re.MULTILINE)


main_help = run(apmt, "--help")
options = {verb: options_in(run(apmt, verb, "--help")) for verb in verbs_in(main_help)}
check(len(options) >= 17 and "manual" in options and "predict" in options, f"only these verbs: {list(options)}")
check({"--help", "--version", "-v", "--quiet"} <= set(options_in(main_help)), "options of apmt itself")
check({"-d", "--dir", "--procs", "--emit"} <= set(options["run"]), f"options of apmt run: {options['run']}")


def test_pages():
    need("man")
    pages = sorted(os.listdir(os.path.join(written, "man", "man1")))
    check(pages == sorted(["apmt.1"] + [f"apmt-{verb}.1" for verb in options]), f"pages: {pages}")
    environment = dict(os.environ, MANWIDTH="200", LC_ALL="C", MANROFFOPT="-Wall -rHY=0")
    for verb in [None, *options]:
        page = os.path.join(written, "man", "man1", f"apmt-{verb}.1" if verb else "apmt.1")
        shown = subprocess.run(["man", "--warnings", "-l", page], check=True, text=True, capture_output=True,
                               env=environment)
        check(not shown.stderr.strip(), f"{page}: {shown.stderr}")
        text = re.sub(".\x08", "", shown.stdout)  # overstruck letters
        for name in options[verb] if verb else [*options, *options_in(main_help)]:
            check(re.search(rf"(^|[ ,]){re.escape(name)}([ ,]|$)", text, re.MULTILINE), f"{page}: no {name}")
        check("/path/to/libapmt-openmpi.so" in text if verb == "record" else build not in text,
              f"{page} names a place on this machine")
    check(run(apmt, "manual", "predict") == read("man", "man1", "apmt-predict.1"), "apmt manual predict differs")
    check(run(apmt, "manual") == read("man", "man1", "apmt.1"), "apmt manual differs")
    for shell, path in (("bash", "bash-completion/completions/apmt"), ("zsh", "zsh/site-functions/_apmt"),
                        ("fish", "fish/vendor_completions.d/apmt.fish")):
        check(run(apmt, "manual", "--completion", shell) == read(path), f"completion of {shell} differs")


def test_readme():
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        first_cells = [line.split(" | ")[0] for line in file if line.startswith("| `")]
    for verb in options:
        check(any(f"`apmt {verb}" in cell for cell in first_cells), f"no row of README.md begins with apmt {verb}")


def bash_words(*words):
    """The completions that bash offers for the last of these words of a command line, which are split as bash splits
    them (--scaling=w is three words)."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _apmt; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    shown = subprocess.run(["bash", "--norc", "-c", script, "bash",
                            os.path.join(written, "bash-completion/completions/apmt"), *words],
                           check=True, text=True, capture_output=True, cwd=scratch.name)
    check(not shown.stderr, shown.stderr)
    return shown.stdout.split()


def typed_in_bash(keys, until):
    """What an interactive bash shows after these keys. Returns as soon as this contains `until`, after 20 seconds at
    most."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(PS1="$ ", TERM="dumb", INPUTRC="/dev/null", HISTFILE="/dev/null")
        os.chdir(scratch.name)
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    shown = b""
    source = f"source '{written}/bash-completion/completions/apmt'; echo rea''dy\r".encode()
    os.write(terminal, source)
    waits_for = b"ready"
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if select.select([terminal], [], [], end - time.monotonic())[0]:
            shown += os.read(terminal, 65536)
        if waits_for in shown and waits_for == b"ready":
            os.write(terminal, keys.encode())
            waits_for = until.encode()
            shown = b""
        elif waits_for in shown:
            break
    os.write(terminal, b"\x03\x04")
    os.close(terminal)
    os.waitpid(child, 0)
    return shown.decode(errors="replace")


def test_bash():
    check(bash_words("apmt", "") == list(options), f"verbs: {bash_words('apmt', '')}")
    check(bash_words("apmt", "pre") == ["predict"], "apmt pre<Tab>")
    check(set(bash_words("apmt", "-")) == set(options_in(main_help)), "apmt -<Tab>")
    for verb, names in options.items():
        check(set(bash_words("apmt", verb, "-")) == set(names), f"apmt {verb} -<Tab>")
    check(bash_words("apmt", "predict", "--scaling", "") == ["strong", "weak"], "words of --scaling")
    check(bash_words("apmt", "predict", "--scaling", "=", "w") == ["weak"], "words after --scaling=")
    check(bash_words("apmt", "predict", "--scaling", "=") == ["strong", "weak"], "all words after --scaling=")
    check(bash_words("apmt", "-v", "run", "--emit", "s") == ["slurm"], "an option before the verb")
    check(bash_words("apmt", "predict", "--procs", "") == [], "a number has no completion")
    check(bash_words("apmt", "predict", "runs/on") == ["runs/only.json"], "a path")
    check(bash_words("apmt", "run", "--dir", "runs/on") == ["runs/only.json"], "a path of an option")
    check("env" in bash_words("apmt", "record", "-d", "x", "en"), "a command")
    check("env" in bash_words("apmt", "record", "--", "en"), "a command after --")
    check(bash_words("apmt", "record", "env", "--he") == [], "options after the command are the command's")
    check(bash_words("apmt", "manual", "pred") == ["predict"], "a verb as an argument")
    shown = typed_in_bash("apmt pred\t--sca\t", "--scaling")
    check("apmt predict --scaling" in shown, f"bash shows {shown!r}")


def test_zsh():
    need("zsh")
    script = os.path.join(written, "zsh/site-functions/_apmt")
    run("zsh", "-n", script)
    text = read("zsh/site-functions/_apmt")
    for verb, names in options.items():
        check(f"    '{verb}:" in text, f"no verb {verb}")
        of_verb = text[text.index(f"    {verb})\n"):].split(";;")[0]
        for name in names:
            check(re.search(rf"[*)]{re.escape(name)}\[", of_verb), f"apmt {verb}: no {name}")
    # A real completion: zsh in its own terminal, which prints the text that it would insert.
    driver = f"""
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1=""; fpath=({written}/zsh/site-functions $fpath); autoload -U compinit; compinit -D -u; echo rea""dy'
zpty -r -m z line '*ready*'
zpty -w -n z $'apmt predict --scal\\tw\\t'
zpty -r -m z line '*--scaling*weak*' && print -r -- "$line"
zpty -d z
"""
    shown = subprocess.run(["zsh", "-f", "-c", driver], check=True, text=True, capture_output=True, timeout=60)
    check("weak" in shown.stdout, f"zsh shows {shown.stdout!r} {shown.stderr!r}")


def test_fish():
    need("fish")
    script = os.path.join(written, "fish/vendor_completions.d/apmt.fish")
    run("fish", "-n", script)

    def offered(line):
        shown = run("fish", "--no-config", "-c", f"source '{script}'; complete -C '{line}'", cwd=scratch.name)
        return [row.split("\t")[0] for row in shown.splitlines()]

    check(set(options) <= set(offered("apmt ")), f"verbs: {offered('apmt ')}")
    for verb, names in options.items():
        check({name for name in names if name.startswith("--")} <= set(offered(f"apmt {verb} --")),
              f"apmt {verb}: {offered(f'apmt {verb} --')}")
    check(offered("apmt predict --scaling ") == ["strong", "weak"], "words of --scaling")
    check(offered("apmt run --dir runs/on") == ["runs/only.json"], "a path")


def test_features(text, features):
    """--version must name what was built and which programs it finds; with an empty PATH, it finds none."""
    def built(*names):
        return os.path.exists(os.path.join(build, "lib", *names))

    def found(name):
        return shutil.which(name) is not None
    expected = {"simgrid": built("libapmt-smpi.so") and found("smpirun"), "valgrind": found("valgrind"),
                "kernels": built("apmt", "libapmt-kernels-pass.so") and found("clang-19"),
                "opencl": built("apmt", "libapmt-oclgrind.so") and found("oclgrind")}
    check({name: features[name] for name in expected} == expected, f"{features} instead of {expected}")
    lines = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    check(("valgrind" in lines["features"]) == features["valgrind"] != ("valgrind" in lines["not here"]), text)
    check(("PAPI" in lines["features"]) == features["papi"] != ("PAPI" in lines["not here"]), text)
    bare = json.loads(run(apmt, "--version", "--json", env=dict(os.environ, PATH="/nowhere")))["features"]
    check(not any(bare[name] for name in expected), f"with nothing in PATH: {bare}")


def test_version():
    text = run(apmt, "--version")
    version = json.loads(run(apmt, "--version", "--json"))
    check(version["format"] == "apmt-version" and text.startswith(f"apmt {version['version']}\n"), text)
    sources = os.path.dirname(os.path.abspath(__file__))
    git = shutil.which("git")
    if git and subprocess.run([git, "-C", sources, "rev-parse"], capture_output=True).returncode == 0:
        known = subprocess.run([git, "-C", sources, "cat-file", "-t", str(version["commit"])], capture_output=True)
        check(known.stdout.strip() == b"commit", f"{version['commit']} is not a commit of the sources")
    check(version["commit"] is None or f"commit: {version['commit']}" in text, text)
    present = [family for family in ("openmpi", "mpich", "smpi", "serial")
               if os.path.exists(os.path.join(build, "lib", f"libapmt-{family}.so"))]
    check(version["recorder_libraries"] == present and present, str(version["recorder_libraries"]))
    test_features(text, version["features"])
    without_json = [verb for verb, names in options.items() if "--json" not in names]
    check(without_json, "every verb has --json")
    for verb in without_json:  # --json belongs to --version here, so these verbs must refuse it
        refused = subprocess.run([apmt, verb, "--json"], capture_output=True, text=True)
        check(refused.returncode == 2 and "--json" in refused.stderr, f"apmt {verb} --json: {refused.stderr}")


def test_programs():
    full = os.path.join(build, "libexec", "apmt-full")
    check(run(full, "--help") == main_help, "apmt and apmt-full list different verbs")
    # Each verb runs in an installation without apmt-full, or the error names apmt-full.
    alone = os.path.join(scratch.name, "bin", "apmt")
    os.mkdir(os.path.dirname(alone))
    shutil.copy(apmt, alone)
    elsewhere = []
    for verb in options:
        shown = subprocess.run([alone, verb, "--help"], capture_output=True, text=True)
        if shown.returncode != 0:
            check(shown.returncode == 1 and f"apmt-full: not there; apmt {verb} needs it\n" in shown.stderr
                  and "hint: " in shown.stderr and not shown.stdout, shown.stderr)
            elsewhere.append(verb)
    expected = ["analyze", "learn", "advise", "match", "offload", "import", "export", "serve", "push", "ask", "manual"]
    check(elsewhere == expected, f"in apmt-full: {elsewhere}")
    device = subprocess.run([alone, "calibrate", "--device", "cpu"], capture_output=True, text=True)
    check(device.returncode == 1 and "apmt-full: not there; apmt calibrate --device needs it" in device.stderr, device.stderr)
    server = subprocess.run([alone, "predict", "x", "--from", "http://127.0.0.1:1", "--procs", "4"],
                            capture_output=True, text=True)
    check(server.returncode == 1 and "apmt-full: not there; asking a server needs it" in server.stderr, server.stderr)
    # A campaign is not begun if its runs could not be pushed.
    for folder in ("lib", "share"):
        os.symlink(os.path.join(build, folder), os.path.join(scratch.name, folder))
    pushed = subprocess.run([alone, "run", "--procs", "1", "--push", "http://127.0.0.1:1", "--", "touch", "begun{p}"],
                            capture_output=True, text=True, cwd=scratch.name)
    check(pushed.returncode == 1 and "apmt-full: not there; pushing runs needs it" in pushed.stderr, pushed.stderr)
    check(not os.path.exists(os.path.join(scratch.name, "begun1")), "a run was made that cannot be pushed")
    # Options before the verb, and an exit code, pass through.
    check(run(apmt, "-q", "-v", "match", "--help") == run(full, "match", "--help"), "apmt match --help")
    refused = subprocess.run([apmt, "-q", "match", "--no-such-option"], capture_output=True, text=True)
    check(refused.returncode == 2 and "--no-such-option" in refused.stderr, refused.stderr)


globals()["test_" + part]()
print(part, "as expected")
