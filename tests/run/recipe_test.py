"""recipe_test.py SOURCE: checks the Spack recipe with a stand-in for Spack's directives. Every variant and
option that the recipe names must be declared, in the recipe or in CMakeLists.txt, and the recipe must have
every dependency that ./run lists for building. As in Spack 1, each name exists only in its own module, so the
recipe must import what it uses."""

import ast
import builtins
import contextlib
import os
import re
import sys
import types

source = sys.argv[1]
file = os.path.join(source, "packaging", "spack", "package.py")
used = {name: [] for name in ("version", "variant", "depends_on", "conflicts", "license", "run_after")}


def directive(name):
    def record(*words, **more):
        used[name].append((words, more))
        return lambda function: function  # so that it also works as a decorator
    return record


class CMakePackage:
    """A stand-in for Spack's class, for a build with the given variants."""

    def __init__(self, **variants):
        self.variants = variants

    def define(self, name, value):
        value = {True: "ON", False: "OFF"}.get(value, value)
        return f"-D{name}:STRING={value}"

    def define_from_variant(self, name, variant):
        assert variant in self.variants, f"no variant {variant}"
        return self.define(name, self.variants[variant])


@contextlib.contextmanager
def when(spec):
    used["variant_specs"].append(spec)
    yield


used["variant_specs"] = []


def executable(path):
    raise AssertionError(f"{path}: nothing runs when a recipe is loaded")


def module(name, **content):
    """Makes a module, and the packages that it lies in, known to `import`."""
    made = types.ModuleType(name)
    made.__all__ = list(content)
    vars(made).update(content)
    sys.modules[name] = made
    parents = name.split(".")[:-1]
    for end in range(len(parents), 0, -1):
        sys.modules.setdefault(".".join(parents[:end]), types.ModuleType(parents[end - 1]))


# Spack's recipes import the class of their build system from the repository of packages, everything else from Spack.
module("spack_repo.builtin.build_systems.cmake", CMakePackage=CMakePackage)
module("spack.package", when=when, Executable=executable, on_package_attributes=lambda **_: lambda function: function,
       **{name: directive(name) for name in ("version", "variant", "depends_on", "conflicts", "license", "run_after")})


def load(code):
    space = {}
    exec(compile(ast.parse(code), file, "exec"), space)
    return space


with open(file, encoding="utf-8") as text:
    code = text.read()
imports = [line for line in code.splitlines() if re.match(r"(from|import) ", line)]
assert len(imports) == 2, imports
for line in imports:  # the stand-in must notice a missing import, or this test proves nothing
    try:
        load(code.replace(line, ""))
    except (NameError, TypeError):  # without its import, `license` is Python's own, which fails with TypeError
        pass
    else:
        raise AssertionError(f"the stand-in also loads a recipe without '{line}'")
for record in used.values():
    record.clear()
space = load(code)
# Every name that the recipe uses must be imported, defined or built in, even if the code that uses it is not run here.
known = set(space) | set(dir(builtins))
loaded = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
assert loaded <= known | {"self"}, f"the recipe imports no {loaded - known - {'self'}}"
recipe = space["Apmt"]  # Spack's name of a class for a package "apmt"
assert recipe.__doc__ and used["version"] and used["license"] == [(("MIT",), {})], used

variants = {words[0]: more["default"] for words, more in used["variant"]}
specs = used["variant_specs"] + [more["when"] for name in ("depends_on", "conflicts") for _, more in used[name]
                                 if "when" in more]
for spec in specs:
    for variant in re.findall(r"[+~](\w+)", spec):
        assert variant in variants, f"{spec}: no such variant"
for words, _ in used["run_after"]:
    assert words[0] in ("cmake", "build", "install"), words

with open(os.path.join(source, "CMakeLists.txt"), encoding="utf-8") as text:
    options = set(re.findall(r"^option\((\w+)", text.read(), re.MULTILINE))
arguments = recipe(**variants).cmake_args()
given = {re.match(r"-D(\w+):", argument).group(1) for argument in arguments}
assert given and given <= options, f"{given - options} is no option of the build"
assert "-DAPMT_RUNTIME_ONLY:STRING=ON" in recipe(**dict(variants, runtime_only=True)).cmake_args()

# Spack's names of the packages that ./run installs, except those for tests, examples and benchmarks.
spack_names = {"g++": "cxx", "cmake": "cmake", "pkg-config": "pkgconfig", "libpapi-dev": "papi", "libpfm4-dev": "libpfm4",
               "openmpi-bin": "mpi", "libopenmpi-dev": "mpi", "mpich": "mpi", "libmpich-dev": "mpi",
               "libsimgrid-dev": "simgrid", "libceres-dev": "ceres-solver", "libdw-dev": "elfutils", "libhwloc-dev": "hwloc",
               "libelf-dev": "elfutils", "nlohmann-json3-dev": "nlohmann-json", "libyaml-cpp-dev": "yaml-cpp", "libsvm-dev": "libsvm",
               "zlib1g-dev": "zlib-api", "libexpat1-dev": "expat",
               "libspdlog-dev": "spdlog", "libcli11-dev": "cli11", "valgrind": "valgrind", "ninja-build": None}
with open(os.path.join(source, "run"), encoding="utf-8") as text:
    listed = re.findall(r'^  "([^|"]+)\|[^|"]*\|([^"|]+)"$', text.read(), re.MULTILINE)
assert len(listed) > 15, listed
depended = {re.match(r"[\w-]+", words[0]).group(0) for words, _ in used["depends_on"]}
for package, reason in listed:
    if reason in ("tests", "building tests", "examples", "benchmarks"):
        continue
    assert package in spack_names, f"./run installs {package}, for {reason}: the recipe needs it, too"
    assert spack_names[package] is None or spack_names[package] in depended, f"the recipe lacks {package}"
print(f"{len(depended)} dependencies, {len(variants)} variants")
