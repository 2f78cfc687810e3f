// Tests of the labels of a run (application, machine, version), of its canonical bytes, and of
// hostile profiles.

#include "service/run_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "tests/unit/profile/example_profile.h"

namespace apmt::service {
namespace {

TEST(RunLabels, ComeFromTheProfile) {
  RunProfile profile = plain_profile();
  profile.hosts = {{"n1", "CPU B", 4, 1}, {"n2", "CPU A", 4, 1}, {"n3", "CPU B", 4, 1}};
  profile.environment["GITHUB_SHA"] = "0123456789abcdef0123456789abcdef01234567";
  const RunLabels labels = labels_of(profile, {});
  EXPECT_EQ(labels.name, "app");
  EXPECT_EQ(labels.machine, "CPU A + CPU B");
  EXPECT_EQ(labels.version, "0123456789");
  const RunLabels given = labels_of(profile, {"n", "m", "v"});
  EXPECT_EQ(given.name + given.machine + given.version, "nmv");
}

TEST(RunLabels, UseTheBuildIdAsVersion) {
  RunProfile profile = plain_profile();
  profile.build_id = "abcdef";
  EXPECT_EQ(labels_of(profile, {}).version, "abcdef");
  profile.build_id = "";
  EXPECT_EQ(labels_of(profile, {}).version, "unknown");
}

TEST(RunLabels, RefuseControlCharactersLongTextsAndOtherThanUtf8) {
  const RunProfile profile = plain_profile();
  EXPECT_THROW(labels_of(profile, {"a\nb", "", ""}), InputError);
  EXPECT_THROW(labels_of(profile, {"", std::string(201, 'x'), ""}), InputError);
  EXPECT_THROW(labels_of(profile, {"", "", "\xff"}), InputError);
  EXPECT_EQ(labels_of(profile, {"<b>'\"", "", ""}).name, "<b>'\"");
}

TEST(CanonicalBytes, DoNotDependOnTheLayoutOfTheFile) {
  const RunProfile profile = full_profile();
  const std::string bytes = canonical_bytes(profile);
  EXPECT_EQ(canonical_bytes(profile_from_text(format_json(to_json(profile)), "t")), bytes);
  EXPECT_EQ(canonical_bytes(profile_from_text(bytes, "t")), bytes);
}

TEST(ProfileFromText, RefusesTraps) {
  const auto refused = [](const std::string& text) {
    EXPECT_THROW(profile_from_text(text, "trap"), InputError) << text.substr(0, 60);
  };
  refused("");
  refused("null");
  refused("[]");
  refused("{");
  refused(R"({"format": "apmt-model", "format_version": "1.0"})");
  refused(R"({"format": "apmt-run-profile", "format_version": "2.0"})");
  refused(R"({"format": "apmt-run-profile", "format_version": "1.0"})");
  refused(std::string(100'000, '['));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += R"({"a":)";
  refused(deep);
  std::string many = "[";
  for (int i = 0; i < 4'100'000; ++i) many += "0,";
  refused(many + "0]");
  std::string wrong = canonical_bytes(plain_profile());
  refused(wrong.substr(0, wrong.size() / 2));
}

}  // namespace
}  // namespace apmt::service
