// Tests of the messages for folders that are given to apmt import instead of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "foreign/folder.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;

/// The message about a folder with these files (path in the folder -> content). FOLDER stands for
/// the folder's own path.
std::string said_about(const std::map<std::string, std::string>& files) {
  const TemporaryFolder folder;
  for (const auto& [name, text] : files) {
    const std::filesystem::path path = folder.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  std::string said = "nothing";
  try {
    refuse_folder(folder.path());
  } catch (const InputError& error) {
    EXPECT_NE(error.code(), ExitCode::kOk);
    said = error.what() + std::string(" | ") + error.hint();
  }
  const std::string path = folder.path().string();
  for (std::size_t at = said.find(path); at != std::string::npos; at = said.find(path))
    said.replace(at, path.size(), "FOLDER");
  return said;
}

const std::string kTau = "23 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl\n";

TEST(ForeignFolder, FilesThatCanBeImportedAreGivenAsACommand) {
  const std::string cube = "any";  // recognised by its name
  const std::string start = "FOLDER: is a folder, and apmt import reads files | it has data of ";
  EXPECT_EQ(said_about({{"profile.cubex", cube}, {"scorep.cfg", "SCOREP_ENABLE_PROFILING=true\n"}}),
            start + "Score-P or Scalasca: apmt import FOLDER/profile.cubex");
  // A folder of Scalasca has several views of the same run, which are not repetitions.
  EXPECT_EQ(said_about({{"profile.cubex", cube}, {"scout.cubex", cube}, {"trace.cubex", cube}}),
            start + "Score-P or Scalasca: apmt import FOLDER/profile.cubex");
  // The layout that Extra-P reads.
  EXPECT_EQ(said_about({{"app.p2.r1/profile.cubex", cube}, {"app.p4.r1/profile.cubex", cube}}),
            start + "Score-P or Scalasca: apmt import FOLDER/*/profile.cubex");
  EXPECT_EQ(said_about({{"a/profile.cubex", cube}, {"a/x.cubex", cube}, {"b/profile.cubex", cube}}),
            start + "Score-P or Scalasca: apmt import FOLDER/*/profile.cubex");
  EXPECT_EQ(said_about({{"p2.cali", "__rec=node"}, {"p4.cali", "__rec=node"}, {"log", "hello\n"}}),
            start + "Caliper: apmt import FOLDER/*.cali");
  EXPECT_EQ(said_about({{"one.txt", "# measured\nPARAMETER p\n"}}),
            start + "Extra-P: apmt import FOLDER/one.txt");
  EXPECT_EQ(said_about({{"app.4.1.1.mpiP", "@ mpiP\n"}, {"app.8.2.1.mpiP", "@ mpiP\n"}}),
            start + "mpiP: apmt import FOLDER/*.mpiP");
  EXPECT_EQ(said_about({{"talp.json", "{\n  \"dlbVersion\": \"3.5\"\n}\n"}}),
            start + "TALP: apmt import FOLDER/talp.json");
}

TEST(ForeignFolder, OtherToolsAreNamedWithTheWayOut) {
  EXPECT_THAT(said_about({{"profile.0.0.0", kTau}, {"profile.1.0.0", kTau}}),
              HasSubstr("FOLDER: is a folder, and profile.0.0.0 in it is a profile of TAU, which "
                        "apmt import does not read | Hatchet reads it"));
  EXPECT_THAT(said_about({{"MULTI__TIME/profile.0.0.0", kTau}}),
              HasSubstr("and MULTI__TIME/profile.0.0.0 in it is a profile of TAU"));
  EXPECT_THAT(said_about({{"run.pcf", "DEFAULT_OPTIONS\n"},
                          {"run.prv", "#Paraver (27/02/2024 at 16:08):15014470_ns\n"},
                          {"run.row", "LEVEL CPU SIZE 2\n"}}),
              HasSubstr("and run.prv in it is a trace of Paraver"));
  EXPECT_THAT(said_about({{"scorep.cfg", "SCOREP_ENABLE_TRACING=true\n"}, {"traces.otf2", "x"}}),
              HasSubstr("and traces.otf2 in it is a trace in OTF2"));
  EXPECT_THAT(
      said_about({{"experiment.xml", "<?xml version=\"1.0\"?>\n<HPCToolkitExperiment >\n"}}),
      HasSubstr("and experiment.xml in it is a profile of HPCToolkit"));
  // If the folder has files of a tool and tables, the message names the files of the tool.
  EXPECT_THAT(said_about({{"a.csv", "procs,time\n"}, {"profile.0.0.0", kTau}}),
              HasSubstr("and profile.0.0.0 in it"));
}

TEST(ForeignFolder, RunsOfApmtNeedNoImport) {
  const std::string run = "{\"format\": \"apmt-run-profile\"}";
  for (const char* name : {"profile.json", "apmt-app.p2.r1/profile.json"})
    EXPECT_EQ(said_about({{name, run}}),
              "FOLDER: is a folder of runs of apmt | "
              "nothing has to be imported: apmt fit uses such a folder as it is");
}

TEST(ForeignFolder, AnythingElseWantsTheFiles) {
  const std::string said =
      "FOLDER: is a folder, and apmt import reads files | "
      "give the files of the measurement: apmt import FILE...";
  EXPECT_EQ(said_about({}), said);
  EXPECT_EQ(said_about({{"README", "nothing measured\n"}, {"empty", ""}}), said);
  EXPECT_EQ(said_about({{"a/b/profile.cubex", "too deep"}}), said);
}

}  // namespace
}  // namespace apmt
