// Tests of profile.json field by field: its bytes, what each rule refuses, and the list of fields
// in the documentation.
#include "profile/profile_fields.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/json_fields.h"
#include "tests/paths.h"
#include "tests/unit/golden_file.h"
#include "tests/unit/profile/example_profile.h"

namespace apmt {
namespace {

std::string text_of(const RunProfile& profile) { return format_json(to_json(profile)); }

std::string refusal(const RunProfile& profile) {
  try {
    profile.check("f");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ProfileFields, TheFileHasTheseBytes) {
  expect_committed("tests/golden/profile/plain.json", text_of(plain_profile()));
  expect_committed("tests/golden/profile/full.json", text_of(full_profile()));
}

TEST(ProfileFields, EveryFieldComesBack) {
  for (const char* name : {"plain", "full"}) {
    const std::string path = source_dir() + "/tests/golden/profile/" + name + ".json";
    EXPECT_EQ(text_of(read_run_profile(path)), read_whole_file(path)) << name;
  }
}

/// Whether a documented path exists in a document that has one entry of each kind.
bool stands_in(const Json& json, const std::string& path) {
  if (path.empty()) return true;
  if (path.starts_with("[]")) {
    for (const Json& element : json)
      if (stands_in(element, path.substr(2))) return true;
    return false;
  }
  const std::string rest = path.front() == '.' ? path.substr(1) : path;
  const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
  const std::string name = rest.substr(0, end);
  if (name == "<name>") {
    for (const Json& element : json)
      if (stands_in(element, rest.substr(end))) return true;
    return false;
  }
  return json.is_object() && json.contains(name) && stands_in(json[name], rest.substr(end));
}

TEST(ProfileFields, TheListNamesWhatTheFileHolds) {
  const Json json = to_json(full_profile());
  std::set<std::string> seen;
  for (const FieldLine& line : fields_in_json<RunProfile>()) {
    EXPECT_TRUE(stands_in(json, line.path)) << line.path;
    EXPECT_TRUE(seen.insert(line.path).second) << line.path;
  }
}

TEST(ProfileFields, WhatMayBeAbsentIsAbsentOrSaysNothing) {
  Json json = to_json(full_profile());
  for (const char* name : {"communication", "libraries", "own_cost", "placement", "threads"})
    json.erase(name);
  json["hosts"][0].erase("kernel");
  json["health"].erase("ranks_unfinalized");
  json["health"].erase("before_init_s");
  json["health"].erase("created_threads_s");
  json["sampling"].erase("rotation");
  json["sampling"].erase("totals");
  json["kernels"][0].erase("lines");
  const RunProfile old = run_profile_from_json(json, "f");
  EXPECT_EQ(old.hosts[0].kernel, "");
  EXPECT_EQ(old.health.ranks_unfinalized, 0);
  EXPECT_EQ(old.peers[0].to_last, old.peers[0].to);
  EXPECT_TRUE(old.threads.empty());
  EXPECT_TRUE(old.communication.pattern.kind.empty());
}

TEST(ProfileFields, ValuesAreCheckedBeforeTheyAreWritten) {
  RunProfile p = full_profile();
  EXPECT_EQ(refusal(p), "accepted");
  p.times.main_cpu_s.per_rank[1] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(p), "f:/times/main_cpu_s/1: expected a finite number");
  p = full_profile();
  p.kernels[0].counters["instructions"].scale[0] = -0.5;
  EXPECT_EQ(refusal(p),
            "f:/kernels/0/counters/instructions/scale/0: expected a number that is not negative, "
            "found -0.5");
  p = full_profile();
  p.mpi[1].size_class = 65;
  EXPECT_EQ(refusal(p), "f:/mpi/1/size_class: expected a whole number from 0 to 64, found 65");
  p = full_profile();
  p.mpi[0].peer = "next-door";
  EXPECT_EQ(refusal(p),
            "f:/mpi/0/peer: expected one of 'none', 'same-node', 'other-node', 'mixed', 'nobody' "
            "(not 'next-door')");
  p = full_profile();
  p.mpi[0].op = "";
  EXPECT_EQ(refusal(p), "f:/mpi/0/op: expected the name of an MPI call");
  p = full_profile();
  p.communication.operations[0].transfer_from = "";
  EXPECT_EQ(refusal(p),
            "f:/communication/operations/0/transfer_from: expected where transfer_s is from");
  p = full_profile();
  p.kernels[0].counters["instructions"].measured_fraction = 0;
  EXPECT_EQ(refusal(p),
            "f:/kernels/0/counters/instructions/measured_fraction: expected a number above 0");
}

/// The text that docs/profile-fields.md must have.
std::string documentation() {
  std::string text =
      "# The fields of profile.json\n\n"
      "This list is made from `profile/profile_fields.h`; [formats.md](formats.md) says what the "
      "fields mean.\n`[]` stands for each entry of a list, `<name>` for each name of a map. A test "
      "compares this page with the\ntable of fields. To regenerate it, run this in the build "
      "folder:\n\n"
      "    APMT_UPDATE_GOLDEN=1 bin/run_profile_test --gtest_filter='ProfileFields.*'\n\n"
      "| field | type | unit | values | when there is none |\n|---|---|---|---|---|\n";
  for (const FieldLine& line : fields_in_json<RunProfile>())
    text += "| `" + line.path + "` | " + line.type + " | " + line.unit + " | " + line.rule + " | " +
            line.absence + " |\n";
  return text;
}

TEST(ProfileFields, TheDocsHaveTheList) {
  expect_committed("docs/profile-fields.md", documentation());
}

/// The last name of a path: "samples" of "kernels[].counters.<name>.samples[]".
std::string last_name(std::string path) {
  if (path.ends_with("[]")) path.resize(path.size() - 2);
  if (path.ends_with(".<name>")) path.resize(path.size() - 7);
  return path.substr(path.rfind('.') + 1);
}

TEST(ProfileFields, FormatsExplainsEachOfThem) {
  const std::string all = read_whole_file(source_dir() + "/docs/formats.md");
  const std::size_t begin = all.find("## profile.json: one run");
  ASSERT_NE(begin, std::string::npos);
  const std::string section = all.substr(begin, all.find("\n## ", begin + 1) - begin);
  for (const FieldLine& line : fields_in_json<RunProfile>()) {
    const std::string name = last_name(line.path);
    bool found = false;
    for (const char* before : {"`", "."})
      for (const char* after : {"`", "[]`"})
        found = found || section.find(before + name + after) != std::string::npos;
    EXPECT_TRUE(found) << line.path;
  }
}

}  // namespace
}  // namespace apmt
