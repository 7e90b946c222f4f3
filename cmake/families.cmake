# Writes OUTPUT, the function add_families, which registers the rows of every family in the order of names. A function
# `std::span<const Row> FAMILY_rows()` or `FAMILY_PART_rows()` that one of SOURCES defines has them: in mt::cpu in the folder engine/cpu, in
# mt elsewhere.
# And absent_ops, the names of the ops that the files of ABSENT declare, which are left out.
# cmake -DOUTPUT=<file> -DSOURCES=<list> -DABSENT=<list> -P cmake/families.cmake
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
  string(REGEX MATCH "^[a-z0-9]+" name ${family})
  if(family MATCHES " cpu$")
    string(APPEND of_cpu "std::span<const Row> ${function};\n")
    string(APPEND calls "  registry.add(\"${name}\", cpu::${function});\n")
  else()
    string(APPEND others "std::span<const Row> ${function};\n")
    string(APPEND calls "  registry.add(\"${name}\", ${function});\n")
  endif()
endforeach()
set(absent "")
foreach(source IN LISTS ABSENT)
  file(STRINGS ${source} declarations REGEX "(\\.name|\\.alias) = \"|^MT_[A-Z]+\\(")
  foreach(line IN LISTS declarations)
    string(REGEX REPLACE "^(MT_[A-Z]+.[A-Za-z]+, \"[^\"]*\"(, \"[^\"]*\")?).*" "\\1" line "${line}")  # a macro's first words are names
    string(REGEX MATCHALL "\"[a-z][A-Za-z0-9_ ]*\"" names "${line}")
    string(REPLACE " " "\";\"" names "${names}")
    list(APPEND absent ${names})
  endforeach()
endforeach()
list(REMOVE_DUPLICATES absent)
list(SORT absent)
list(LENGTH absent absent_count)
list(JOIN absent ", " absent)

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Every family of ops; written by cmake/families.cmake.
#include <array>

#include \"engine/core/absent.h\"
#include \"engine/cpu/register.h\"

namespace mt {
namespace cpu {
${of_cpu}}  // namespace cpu
${others}
void add_families(Registry& registry) {
${calls}}

std::span<const std::string_view> absent_ops() {
  static constexpr std::array<std::string_view, ${absent_count}> names = {${absent}};
  return names;
}

}  // namespace mt
" @ONLY)
