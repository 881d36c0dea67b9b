set(CORECAST_SOURCE_DIR "${CMAKE_CURRENT_LIST_DIR}/..")
cmake_path(NORMAL_PATH CORECAST_SOURCE_DIR)

# One private interface target carries the warnings and the floating-point rules of every target.
add_library(corecast_options INTERFACE)
target_compile_features(corecast_options INTERFACE cxx_std_20)
target_compile_options(corecast_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  # Same input, same bytes out on every CPU: no fused a*b+c behind our back.
  -ffp-contract=off
  # g++ 12 sees overlapping copies in `"text" + std::string` (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${CORECAST_WERROR}>:-Werror>)

# Headers that nearly every file includes, parsed once for the libraries and once for the tests: saves clang a third of
# its time. g++ 12 gains nothing (it reads 78 MB anew for each file), and warns of overlapping copies inside the standard
# library then. Each file still includes what it uses: the other compiler tells when one does not.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(CORECAST_PCH_DEFAULT ON)
else()
  set(CORECAST_PCH_DEFAULT OFF)
endif()
option(CORECAST_PCH "Precompile common headers" ${CORECAST_PCH_DEFAULT})
set(CORECAST_PCH_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <map> <memory> <optional> <set> <span>
  <stdexcept> <string> <string_view> <vector> <fmt/format.h>)

# corecast_precompile(TARGET OWNER): TARGET uses the precompiled headers of OWNER, which compiles them with ARGN added.
function(corecast_precompile target owner)
  if(NOT CORECAST_PCH)
    return()
  elseif(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${CORECAST_PCH_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

option(CORECAST_OPTIMIZE_LIBRARIES "Compile the libraries, not the tests, with -O1 whatever the build type" OFF)

# corecast_library(NAME SOURCES ... HEADERS ... PUBLIC libs... PRIVATE libs...): one target per folder.
function(corecast_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  add_library(corecast_${name} STATIC)
  add_library(corecast::${name} ALIAS corecast_${name})
  target_sources(corecast_${name}
    PRIVATE ${arg_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${CORECAST_SOURCE_DIR} FILES ${arg_HEADERS})
  target_include_directories(corecast_${name} PUBLIC ${CORECAST_SOURCE_DIR})
  target_compile_features(corecast_${name} PUBLIC cxx_std_20)
  target_link_libraries(corecast_${name} PUBLIC ${arg_PUBLIC} PRIVATE corecast_options ${arg_PRIVATE})
  # The sanitizers' build is unoptimized, for it is mostly compiling; but the libraries' loops run 200 times longer then.
  if(CORECAST_OPTIMIZE_LIBRARIES)
    target_compile_options(corecast_${name} PRIVATE -O1)
  endif()
  corecast_precompile(corecast_${name} corecast_base)
  set_target_properties(corecast_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# corecast_test(NAME SOURCES ... LIBRARIES ...): one doctest program, one ctest entry.
function(corecast_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name}_test ${arg_SOURCES})
  target_link_libraries(${name}_test PRIVATE corecast_options corecast_test_main ${arg_LIBRARIES})
  # What is tested is compiled as users run it; the tests themselves cost less to compile than they would win.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  corecast_precompile(${name}_test corecast_test_headers)
  add_test(NAME ${name} COMMAND ${name}_test)
endfunction()
