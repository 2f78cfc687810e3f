// Tests of recognising the formats of other tools: those that are read, and those that are refused
// by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "base/input_error.h"
#include "foreign/kind.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;

TEST(ForeignKind, IsToldByHowAFileBegins) {
  EXPECT_EQ(foreign_kind("a.txt", "PARAMETER p\n"), ForeignKind::kExtrapText);
  EXPECT_EQ(foreign_kind("a.jsonl", "{}"), ForeignKind::kExtrapJsonLines);
  EXPECT_EQ(foreign_kind("a.json", "{\"params\":{\"p\":2},\"value\":1}\n{}"),
            ForeignKind::kExtrapJsonLines);
  EXPECT_EQ(foreign_kind("talp.json", "{\n  \"dlbVersion\": \"3.5\"\n}\n"), ForeignKind::kTalp);
  std::string tar(512, '\0');
  tar.replace(0, 10, "anchor.xml");
  tar.replace(257, 5, "ustar");
  for (const char* name : {"profile.cubex", "profile"})
    EXPECT_EQ(foreign_kind(name, tar), ForeignKind::kCube);
}

TEST(ForeignKind, TextInUtf16IsRefusedByName) {
  try {
    foreign_kind("a.jsonl", std::string("\xFF\xFE{\0\"\0", 6));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is text in UTF-16"));
  }
}

TEST(ForeignKind, LongListsMayPrecedeTheNamesThatTell) {
  std::string numbers;
  for (int i = 0; i < 100'000; ++i) numbers += "1,\n";
  numbers += "1";
  EXPECT_EQ(foreign_kind("a.json", "{\"data\": [\n" + numbers +
                                       "],\n\"columns\": [],\n\"column_metadata\": []}"),
            ForeignKind::kCaliperJson);
  EXPECT_EQ(foreign_kind("a.json", "{\"callpaths\": [\n" + numbers +
                                       "],\n\"coordinates\": [],\n\"measurements\": []}"),
            ForeignKind::kExtrapJson);
}

TEST(ForeignKind, OtherToolsAreNamedWithTheWayOut) {
  // Name, beginning, description and converter of each file. The beginnings are taken from
  // Hatchet's tests and from the tools' own output.
  const std::vector<std::tuple<std::string, std::string, std::string, std::string>> files = {
      {"other.json", "{\n \"a\": 1\n}\n", "is JSON of another kind than Extra-P's",
       "Extra-P's own"},
      {"perf.data", std::string("PERFILE2\0", 9), "a recording of perf", "perf report --stdio"},
      {"profile.0.0.0", "23 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl\n",
       "a profile of TAU", "from_tau"},
      {"cpi.ppk", std::string("\x1f\x8b\0", 3), "a profile of TAU", "from_tau"},
      {"1.cpi-000000-000.metric-db", std::string("HPCPROF-metricdb__00.10b\0", 25),
       "a profile of HPCToolkit", "from_hpctoolkit"},
      {"a.hpcrun", std::string("HPCRUN-profile____04.00", 23), "a profile of HPCToolkit",
       "from_hpctoolkit"},
      {"meta.db", std::string("HPCTOOLKITmeta\4\0", 16), "a profile of HPCToolkit",
       "from_hpctoolkit"},
      {"experiment.xml", "<?xml version=\"1.0\"?>\n<HPCToolkitExperiment version=\"2.2\">\n",
       "a profile of HPCToolkit", "from_hpctoolkit"},
      {"gmon.out", std::string("gmon\1\0\0\0", 8), "a profile of gprof", "gprof2dot"},
      {"gprof.txt", "Flat profile:\n\nEach sample counts as 0.01 seconds.\n", "a profile of gprof",
       "gprof2dot"},
      {"gprof.dot", "digraph {\n\tgraph [fontname=Arial];\n", "a graph of gprof2dot",
       "from_gprof_dot"},
      {"talpas.txt", "{\"parameters\":{\"x\":20};\"metric\":\"time\";\"value\":82.5}\n",
       "a file of Talpas", "makes JSON Lines"},
      {"old.pstats", std::string("{(s\5\0\0\0", 7), "a binary file", "as text"},
      {"py.json", "{\n  \"duration\": 0.4,\n  \"root_frame\": {\"function\": \"main\"}\n}\n",
       "a profile of pyinstrument", "from_pyinstrument"},
      {"wall.tree.json", "{\n  \"timemory\": {\n    \"WALL_CLOCK\": {}\n  }\n}\n",
       "a profile of timemory", "from_timemory"},
      {"program", std::string("\177ELF\0", 5), "a binary file", "as text"},
      {"run.prv", "#Paraver (27/02/2024 at 16:08):15014470_ns:1(2):1:2(1:1,1:1)\n",
       "a trace of Paraver", "paramedir"},
      {"run.prv.gz", "\x1f\x8b\x08", "a trace of Paraver", "paramedir"},
      {"renamed", "#Paraver (27/02/2024 at 16:08):15014470_ns:1(2):1:2(1:1,1:1)\n",
       "a trace of Paraver", "paramedir"},
      {"anchor.xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n",
       "a profile of Cube in plain XML", "import the .cubex"},
      {"summary.cube.gz", "\x1f\x8b\x08", "a profile of Cube in plain XML", "cube3to4"},
      {"job.ipm.xml",
       "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>\n<ipm_job_profile>\n"
       "<task ipm_version=\"2.0.6\" cookie=\"nocookie\" mpi_rank=\"0\" mpi_size=\"4\">\n",
       "a profile of IPM", "ipm_parse -full"},
      {"slurm-17.out", "##IPMv2.0.6########################################\n#\n",
       "a profile of IPM", "ipm_parse -full"},
      {"callgrind.out.4711", "version: 1\n", "a profile of callgrind", "apmt simulate"},
      {"counts", "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 4711\n",
       "a profile of callgrind", "callgrind_annotate"},
      {"app+pat.rpt", "CrayPat/X:  Version 6.4.6 Revision 7d0d87c  02/20/17 09:52:37\n",
       "of CrayPat", "pat_report"},
      {"index.ap2", std::string("\1\0", 2), "of CrayPat", "pat_report"},
      {"traces.otf2", std::string("\0\1", 2), "a trace in OTF2", "scout.mpi"},
      {"job.darshan", std::string("3.21\0", 5), "a log of Darshan", "darshan-parser"},
      {"job", std::string("3.21\0\0\0\0\x37\x35\x64\0\0\0\0\0\1\2", 18), "a log of Darshan",
       "darshan-parser"},
      {"darshan.txt", "# darshan log version: 3.41\n# exe: ./app\n", "a log of Darshan",
       "darshan-parser"},
      {"report1.nsys-rep", std::string("\0\1", 2), "a report of Nsight Systems", "nsys stats"},
      {"report1.sqlite",
       std::string("SQLite format 3\0", 16) + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (",
       "a report of Nsight Systems", "nsys stats"},
      {"report1.ncu-rep", std::string("NVR\0", 4), "a report of Nsight Compute", "ncu --import"},
      {"other.sqlite", std::string("SQLite format 3\0", 16), "an SQLite database", "sqlite3"},
      {"runs.jsonl.gz", "\x1f\x8b\x08", "packed by gzip", "gunzip"},
      {"runs.csv", "procs,time\n", "a table of values (CSV)", "csv.DictReader"},
      {"runs", "# measured by hand\nprocs;time\n2;1.5\n", "a table of values (CSV)",
       "csv.DictReader"},
      {"runs.txt", "procs\ttime\n2\t1.5\n", "a table of values (CSV)", "csv.DictReader"}};
  for (const auto& [name, text, format, converter] : files) {
    try {
      foreign_kind(name, text);
      ADD_FAILURE() << name << " was accepted";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
      EXPECT_THAT(error.what(), HasSubstr(format + ", which apmt import does not read"));
      EXPECT_THAT(error.hint(), HasSubstr(converter));
      EXPECT_THAT(error.hint(), HasSubstr("JSON Lines"));
      EXPECT_EQ((error.what() + error.hint()).find('\n'), std::string::npos) << "one line each";
      EXPECT_NE(error.code(), ExitCode::kOk);
    }
  }
}

TEST(ForeignKind, AnEmptyFileIsNamedAsOne) {
  for (const char* name : {"a.txt", "a.jsonl", "profile.cubex", "run.cali", "app.4.mpiP", "a.csv"})
    for (const char* text : {"", " \n\n"}) {
      try {
        foreign_kind(name, text);
        ADD_FAILURE() << name << " was accepted";
      } catch (const InputError& error) {
        EXPECT_EQ(error.what(), name + std::string(": is empty"));
        EXPECT_THAT(error.hint(), HasSubstr("make the measurement again"));
        EXPECT_NE(error.code(), ExitCode::kOk);
      }
    }
}

TEST(ForeignKind, LinesOfOurFormatsAreNoTables) {
  EXPECT_EQ(foreign_kind("a", "PARAMETER\tp\nPOINTS\t2\n"), ForeignKind::kExtrapText);
  EXPECT_EQ(foreign_kind("a", "# a, b\nPARAMETER p\nPARAMETER n\nPOINTS (2,1) (4,1)\n"),
            ForeignKind::kExtrapText);
  try {
    foreign_kind("a.json", "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}\n");
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("JSON of another kind"));
  }
}

}  // namespace
}  // namespace apmt
