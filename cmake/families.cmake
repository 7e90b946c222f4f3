# Finds families by the names of their files: a source file NAME.cpp may define the function NAME_rows(), which returns the rows of a
# family. Generated code has a weak reference to this function for each file, so a file without it adds nothing.

# write_families(OUTPUT CPU SOURCE ... OTHERS SOURCE ...): writes OUTPUT, the function mt::add_families, which registers all rows in order
# of names. The family of NAME is its part before the first underscore. Sources after CPU define functions of mt::cpu, the others of mt.
function(write_families output)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "CPU;OTHERS")
  set(cpu "")
  set(others "")
  set(calls "")
  foreach(source IN LISTS ARG_CPU ARG_OTHERS)
    cmake_path(GET source STEM name)
    string(REGEX MATCH "^[^_]+" family ${name})
    set(declaration "[[gnu::weak]] std::span<const Row> ${name}_rows();\n")
    if(source IN_LIST ARG_CPU)
      string(APPEND cpu "${declaration}")
      list(APPEND calls "${name} cpu  add(registry, \"${family}\", cpu::${name}_rows)")
    else()
      string(APPEND others "${declaration}")
      list(APPEND calls "${name} ops  add(registry, \"${family}\", ${name}_rows)")
    endif()
  endforeach()
  list(SORT calls)
  list(TRANSFORM calls REPLACE "^[^ ]+ [^ ]+" "")
  list(JOIN calls ";\n" calls)
  file(CONFIGURE OUTPUT ${output} CONTENT "// Every family of ops; written by cmake/families.cmake.
#include \"engine/cpu/register.h\"

namespace mt {
namespace cpu {
${cpu}}  // namespace cpu
${others}
namespace {

void add(Registry& registry, std::string_view family, std::span<const Row> (*rows)()) {
  if (rows != nullptr) registry.add(family, rows());
}

}  // namespace

void add_families(Registry& registry) {
${calls};
}

}  // namespace mt
" @ONLY)
endfunction()

# Writes OUTPUT, the function mt::cuda::all_kernel_rows, which calls the functions NAME_rows() of the plug-in's kernels.
function(write_kernel_rows output)
  set(declarations "")
  set(names "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    string(APPEND declarations "[[gnu::weak]] KernelRows ${name}_rows();\n")
    list(APPEND names "${name}_rows")
  endforeach()
  list(SORT names)
  list(JOIN names ", " names)
  file(CONFIGURE OUTPUT ${output} CONTENT "// Every family of kernels; written by cmake/families.cmake.
#include \"cuda/kernels/register.h\"

#include <vector>

namespace mt::cuda {

${declarations}
std::span<const KernelRows> all_kernel_rows() {
  static const std::vector<KernelRows> all = [] {
    std::vector<KernelRows> present;
    for (KernelRows (*rows)() : {${names}}) {
      if (rows != nullptr) present.push_back(rows());
    }
    return present;
  }();
  return all;
}

}  // namespace mt::cuda
" @ONLY)
endfunction()

# write_absent(OUTPUT BUILD TEXT HEADERS HEADER ... LISTS LIST ... NAMES NAMES ...): writes OUTPUT, the function mt::absent_ops, which returns
# the declarations in LISTS of HEADERS, and NAMES: "name alias ...". TEXT says what leaves them out.
function(write_absent output)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "BUILD" "HEADERS;LISTS;NAMES")
  set(headers "")
  foreach(header IN LISTS ARG_HEADERS)
    string(APPEND headers "#include \"${header}\"\n")
  endforeach()
  set(lists "")
  foreach(list IN LISTS ARG_LISTS)
    string(APPEND lists "  append(all, ${list}());\n")
  endforeach()
  set(names "")
  foreach(op IN LISTS ARG_NAMES)
    string(REGEX MATCH "^([^ ]+) ?(.*)$" whole "${op}")
    string(APPEND names "    {\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\"},\n")
  endforeach()
  if(ARG_NAMES)
    string(APPEND lists "  all.assign(std::begin(names), std::end(names));\n")
    set(names "constexpr AbsentOp names[] = {\n${names}};\n")
  endif()
  file(CONFIGURE OUTPUT ${output} CONTENT "// The ops that this build lacks; written by cmake/families.cmake.
#include \"engine/core/absent.h\"

#include <iterator>
#include <vector>

#include \"engine/core/decl.h\"

#define MT_FN inline

namespace mt {

struct Call;

namespace {

${headers}${names}
template <class... Op> [[maybe_unused]] void append(std::vector<AbsentOp>& all, List<Op...>) {
  (all.push_back({Op::decl.name, Op::decl.alias}), ...);
}

std::vector<AbsentOp> listed() {
  std::vector<AbsentOp> all;
${lists}  return all;
}

}  // namespace

std::span<const AbsentOp> absent_ops() {
  static const std::vector<AbsentOp> all = listed();
  return all;
}

std::string_view small_build() { return \"@ARG_BUILD@\"; }

}  // namespace mt
" @ONLY)
endfunction()
