"""recipe_test.py SOURCE: checks the Spack recipe with a stand-in for Spack's directives. Every variant and
option that the recipe names must be declared, in the recipe or in CMakeLists.txt, and the recipe must have
every dependency that ./run lists for building."""

import ast
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
standin = types.ModuleType("spack.package")
standin.CMakePackage = CMakePackage
standin.when = when
standin.on_package_attributes = lambda **_: lambda function: function
for name in ("version", "variant", "depends_on", "conflicts", "license", "run_after"):
    setattr(standin, name, directive(name))
standin.__all__ = [name for name in vars(standin) if not name.startswith("_")]
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = standin

with open(file, encoding="utf-8") as text:
    code = text.read()
space = {}
exec(compile(ast.parse(code), file, "exec"), space)
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
    if reason in ("tests", "examples", "benchmarks"):
        continue
    assert package in spack_names, f"./run installs {package}, for {reason}: the recipe needs it, too"
    assert spack_names[package] is None or spack_names[package] in depended, f"the recipe lacks {package}"
print(f"{len(depended)} dependencies, {len(variants)} variants")
