// The one source of the target that owns the tests' precompiled header (tests/CMakeLists.txt).
#include <doctest/doctest.h>
