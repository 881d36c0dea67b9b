#include "hwmodels/cpu_list.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>

#include "base/error.hpp"

namespace corecast::hwmodels {
namespace {

using List = std::vector<int>;

TEST_CASE("a CPU list is numbers and ranges between commas") {
  CHECK(parse_cpu_list("0-3,8,10-11\n") == List{0, 1, 2, 3, 8, 10, 11});
  CHECK(parse_cpu_list("5") == List{5});
  CHECK(parse_cpu_list(" \t7-7 \n") == List{7});
}

TEST_CASE("an empty CPU list has no CPUs") {
  CHECK(parse_cpu_list("").empty());
  CHECK(parse_cpu_list(" \n").empty());
}

TEST_CASE("a CPU list comes out sorted and without repetitions") {
  CHECK(parse_cpu_list("4,0-2,1-5") == List{0, 1, 2, 3, 4, 5});
}

TEST_CASE("a CPU list that is not one is refused") {
  for (const char* text :
       {"a", "1-", "-1", "3-1", "1,,2", "1,", ",1", "1 2", "1-2-3", "0x3", "+1", "1.5", "0-7:2/4"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parse_cpu_list(text), InputError);
  }
}

TEST_CASE("a CPU number that no system has is refused without filling memory") {
  for (const char* text : {"0-99999999999", "0-65536", "99999999999999999999999", "0-2147483648"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parse_cpu_list(text), InputError);
  }
  CHECK(parse_cpu_list("65535") == List{kMostCpuNumber});
}

TEST_CASE("a CPU list that repeats its largest range without end is refused") {
  std::string text = "0-65535";
  for (int i = 0; i < 1000; ++i) text += ",0-65535";
  CHECK_THROWS_AS((void)parse_cpu_list(text), InputError);
}

TEST_CASE("the text of a CPU list uses ranges") {
  CHECK(cpu_list_text(List{}) == "none");
  CHECK(cpu_list_text(List{3}) == "3");
  CHECK(cpu_list_text(List{0, 1, 2, 3, 8, 10, 11}) == "0-3,8,10-11");
}

TEST_CASE("reading the text of a CPU list gives the list back") {
  CHECK(rc::check("parse(text(list)) == list", [] {
    const auto set = *rc::gen::nonEmpty(rc::gen::container<std::set<int>>(rc::gen::inRange(0, 200)));
    const List list(set.begin(), set.end());
    RC_ASSERT(parse_cpu_list(cpu_list_text(list)) == list);
  }));
}

TEST_CASE("any text is read as a CPU list or refused") {
  CHECK(rc::check("no other exception, sorted result", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789-, \n:x")));
    try {
      const List list = parse_cpu_list(text);
      RC_ASSERT(std::is_sorted(list.begin(), list.end()));
    } catch (const InputError&) {
    }
  }));
}

}  // namespace
}  // namespace corecast::hwmodels
