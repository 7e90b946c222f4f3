# Writes OUTPUT, the function add_families, which registers the rows of every family in the order of names. A family is a function
# `std::span<const Row> NAME_rows()` that one of SOURCES defines: in mt::cpu in the folder engine/cpu, in mt elsewhere.
# cmake -DOUTPUT=<file> -DSOURCES=<list> -P cmake/families.cmake
cmake_minimum_required(VERSION 3.25)

set(families "")
foreach(source IN LISTS SOURCES)
  file(STRINGS ${source} definitions REGEX "^std::span<const Row> [a-z0-9_]+_rows\\(\\) {")
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  list(TRANSFORM definitions REPLACE "^std::span<const Row> ([a-z0-9_]+)_rows.*" "\\1 ${folder}")
  list(APPEND families ${definitions})
endforeach()
list(REMOVE_DUPLICATES families)  # what is compiled for each instruction set has a second function, which chooses
list(SORT families)

set(of_cpu "")
set(others "")
set(calls "")
foreach(family IN LISTS families)
  string(REGEX REPLACE " .*" "_rows()" function ${family})
  if(family MATCHES " cpu$")
    string(APPEND of_cpu "std::span<const Row> ${function};\n")
    string(APPEND calls "  registry.add(cpu::${function});\n")
  else()
    string(APPEND others "std::span<const Row> ${function};\n")
    string(APPEND calls "  registry.add(${function});\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Every family of ops; written by cmake/families.cmake.
#include \"engine/cpu/register.h\"

namespace mt {
namespace cpu {
${of_cpu}}  // namespace cpu
${others}
void add_families(Registry& registry) {
${calls}}

}  // namespace mt
" @ONLY)
