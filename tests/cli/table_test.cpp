#include "cli/table.hpp"

#include <doctest/doctest.h>

#include "cli/words.hpp"

namespace corecast::cli {
namespace {

TEST_CASE("columns are as wide as their widest cell; numbers stand to the right") {
  CHECK(table({{"name"}, {"cores", Align::right}}, {{{"a", "8"}, ""}, {{"machine", "128"}, ""}}, 80) ==
        "  name     cores\n"
        "  a            8\n"
        "  machine    128\n");
}

TEST_CASE("a table too wide is cut where it may be, the widest column first") {
  // 2 + 20 + 2 + 3 = 27 columns; 20 are to be had: the first column keeps 13.
  CHECK(table({{"", Align::left, true}, {"", Align::right}}, {{{"abcdefghijklmnopqrst", "1.5"}, ""}}, 20) ==
        "  abcdefghij...  1.5\n");
  // No column may be cut: the line is.
  CHECK(table({{""}, {""}}, {{{"abcdefghijklmnopqrst", "1.5"}, ""}}, 20) == "  abcdefghijklmno...\n");
}

TEST_CASE("a sentence below a row is broken into lines behind its margin") {
  CHECK(table({{"a"}}, {{{"x"}, "one two three"}}, 14) ==
        "  a\n"
        "  x\n"
        "      one two\n"
        "      three\n");
}

TEST_CASE("what names from files hold cannot break a table") {
  CHECK(table({{""}, {""}}, {{{"a\nb\x1b[1m", "\xff"}, ""}}, 80) == "  a?b?[1m  ?\n");
  CHECK(table({{""}, {"", Align::right}}, {{{"\xc3\xa9", "1"}, ""}, {{"ab", "2"}, ""}}, 80) ==
        "  \xc3\xa9   1\n  ab  2\n");
}

TEST_CASE("lines break between words, and a word longer than a line is cut") {
  CHECK(wrapped("one two three", 9, "- ") == "- one two\n  three\n");
  CHECK(wrapped("", 9, "- ") == "-\n");
  CHECK(wrapped("abcdefghijkl", 9) == "abcdef...\n");
}

TEST_CASE("values are worded alike everywhere") {
  CHECK(counted(1, "core") == "1 core");
  CHECK(count_text(25'557'032) == "25.6 M");
  CHECK(count_text(999'600) == "1 M");
  CHECK(percent_text(0.0123) == "1.2 %");
  CHECK(percent_text(0.123) == "12 %");
  CHECK(loss_text(0.0) == "best");
  CHECK(loss_text(0.05) == "+5.0 %");
  CHECK(loss_text(0.5) == "+50 %");
  CHECK(loss_text(3.2) == "4.2 x");
  CHECK(loss_text(-0.01) == "-1.0 %");
  sim::Setting setting;
  setting.intra_op = 8;
  CHECK(setting_text(setting) == "intra 8");
  setting.mode = sim::Mode::parallel;
  setting.inter_op = 3;
  setting.instances = 2;
  setting.smt = true;
  setting.spin = false;
  CHECK(setting_text(setting) == "SMT, 2 x inter 3, intra 8, parallel, no spin");
}

}  // namespace
}  // namespace corecast::cli
