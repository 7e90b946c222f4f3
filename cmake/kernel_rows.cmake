# Writes OUTPUT, the function all_kernel_rows, of the functions `KernelRows NAME_rows()` that SOURCES define.
# cmake -DOUTPUT=<file> -DSOURCES=<list> -P cmake/kernel_rows.cmake
cmake_minimum_required(VERSION 3.25)

set(names "")
foreach(source IN LISTS SOURCES)
  file(STRINGS ${source} definitions REGEX "^KernelRows [a-z0-9_]+_rows\\(\\) {")
  list(TRANSFORM definitions REPLACE "^KernelRows ([a-z0-9_]+_rows).*" "\\1")
  list(APPEND names ${definitions})
endforeach()
list(SORT names)
set(declarations "")
set(calls "")
foreach(name IN LISTS names)
  string(APPEND declarations "KernelRows ${name}();\n")
  string(APPEND calls "${name}(), ")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Every family of kernels; written by cmake/kernel_rows.cmake.
#include \"cuda/kernels/register.h\"

namespace mt::cuda {

${declarations}
std::span<const KernelRows> all_kernel_rows() {
  static const KernelRows all[] = {${calls}};
  return all;
}

}  // namespace mt::cuda
" @ONLY)
