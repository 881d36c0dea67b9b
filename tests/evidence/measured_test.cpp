#include "calibration/evidence/measured.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"

namespace corecast::evidence {
namespace {

void check_refused(const std::string& text, const std::string& message) {
  try {
    (void)parse_measured(text, "m.csv");
    FAIL("accepted: " << text);
  } catch (const InputError& error) {
    const std::string said = error.what();
    INFO(said);
    CHECK(said.find(message) != std::string::npos);
  }
}

const std::string kHead = "machine,framework,model,batch,intra_op,latency_ms\n";

TEST_CASE("columns stand in any order, empty cells are not stated, and unknown columns are named") {
  const MeasuredTable table = parse_measured(
      "# host: a\n#  cpu: b, c\n"
      "latency_ms,colour,intra_op,model,smt,batch,framework,machine,note,spin\n"
      "12.5,red,4,resnet50,on,8,pytorch-1.12,m,\"one, two\",\n",
      "m.csv");
  CHECK(table.context == std::vector<std::string>{"host: a", "cpu: b, c"});
  CHECK(table.ignored_columns == std::vector<std::string>{"colour"});
  REQUIRE(table.rows.size() == 1);
  const MeasuredRow& row = table.rows.front();
  CHECK(row.latency_ms == 12.5);
  CHECK(row.intra_op == 4);
  CHECK(row.batch == 8);
  CHECK(row.smt == true);
  CHECK_FALSE(row.spin);
  CHECK_FALSE(row.instances);
  CHECK(row.note == "one, two");
}

TEST_CASE("line ends of Windows, a byte order mark, empty lines and blanks around cells do not matter") {
  const MeasuredTable table = parse_measured(
      "\xEF\xBB\xBF"
      "machine,framework,model,batch,intra_op,latency_ms\r\n\r\nm, f ,x,1,2,3\r\n",
      "m.csv");
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows.front().framework == "f");
  CHECK(table.rows.front().latency_ms == 3.0);
}

TEST_CASE("a bad cell is told with file, line, column and what was found") {
  check_refused(kHead + "m,f,x,1,2,fast\n", "m.csv: line 2: column latency_ms");
  check_refused(kHead + "m,f,x,1,2,fast\n", "\"fast\"");
  check_refused("# a: b\n" + kHead + "m,f,x,1,2,1\nm,f,x,1.5,2,1\n", "m.csv: line 4: column batch: \"1.5\"");
  check_refused(kHead + "m,f,x,1,0,1\n", "column intra_op");
  check_refused(kHead + "m,f,x,1,2,-1\n", "found \"-1\", wanted a number above zero");
  check_refused(kHead + "m,f,x,1,2,nan\n", "column latency_ms");
  check_refused(kHead + "m,f,x,1,2,inf\n", "column latency_ms");
  // Ratios of such times are no numbers.
  check_refused(kHead + "m,f,x,1,2,1e-308\n", "wanted milliseconds from 1e-9 to 1e12");
  check_refused(kHead + "m,f,x,1,2,1e300\n", "wanted milliseconds from 1e-9 to 1e12");
  check_refused("throughput_per_s," + kHead + "1e-308,m,f,x,1,2,1\n", "wanted samples per second");
  check_refused("smt," + kHead + "yes,m,f,x,1,2,1\n", "column smt: found \"yes\", wanted on, off or nothing");
}

TEST_CASE("a row of another length, an open quote, and a header that lacks or repeats a column are told") {
  check_refused(kHead + "m,f,x,1,2\n", "line 2: found 5 cells, wanted 6");
  check_refused(kHead + "\"m,f,x,1,2,3\n", "line 2: a double quote is not closed");
  check_refused("machine,model,batch,intra_op,latency_ms\n", "there is no column \"framework\"");
  check_refused("machine,framework,model,batch,intra_op,note\n", "no column of what was measured");
  check_refused("machine," + kHead, "the column \"machine\" stands there twice");
  check_refused("# only: context\n", "is empty");
  check_refused("", "is empty");
}

TEST_CASE("latency and throughput follow from each other") {
  MeasuredRow row;
  row.batch = 8;
  row.instances = 2;
  CHECK_FALSE(latency_ms_of(row));
  row.throughput_per_s = 400.0;  // 2 x 8 samples every 40 ms
  CHECK(latency_ms_of(row).value() == doctest::Approx(40.0));
  row.latency_ms = 50.0;
  CHECK(latency_ms_of(row).value() == 50.0);
  CHECK(throughput_of(row).value() == 400.0);  // as stated
  row.throughput_per_s.reset();
  CHECK(throughput_of(row).value() == doctest::Approx(320.0));
}

TEST_CASE("under a CPU quota the mean counts, for a median does not see the pauses") {
  MeasuredRow row;
  row.latency_ms = 10.0;
  row.latency_mean_ms = 14.0;
  CHECK(latency_ms_of(row).value() == 10.0);
  row.quota_cpus = 0.5;
  CHECK(latency_ms_of(row).value() == 14.0);
}

}  // namespace
}  // namespace corecast::evidence
