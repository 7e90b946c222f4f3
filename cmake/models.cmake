# A build for certain models (bin/minimal): MT_MODELS is a file that sets MT_BUILT_OPS, MT_BUILT_FAMILIES, MT_BUILT_NODES (of ONNX),
# MT_BUILT_DTYPES, MT_MISSING_OPS ("name alias ...") and MT_BUILD_SHOWN. Tables of ops are filtered by these names (engine/core/built.h); the
# linker drops the kernels to which no table refers.
include(${MT_MODELS})
set(MT_ABSENT_OPS "")

# Families that MT_MINIMAL leaves out are compiled if the models need them, with the files that they need.
set(linalg_files decompositions lapack plain_complex_eigen plain_eigen plain_lapack vendor_lapack)
foreach(name IN LISTS MT_ABSENT)
  string(REGEX MATCH "^[^_]+" family ${name})
  if(family IN_LIST MT_BUILT_FAMILIES OR ("linalg" IN_LIST MT_BUILT_FAMILIES AND name IN_LIST linalg_files))
    list(REMOVE_ITEM MT_ABSENT ${name})
  endif()
endforeach()

# C++ text of a list of names.
function(quoted output)
  list(TRANSFORM ARGN REPLACE "(.+)" "\"\\1\"")
  list(JOIN ARGN ", " joined)
  set(${output} "${joined}" PARENT_SCOPE)
endfunction()

list(LENGTH MT_BUILT_NODES node_count)
quoted(ops ${MT_BUILT_OPS})
quoted(nodes ${MT_BUILT_NODES})
set(MT_BUILT_NAMES ${PROJECT_BINARY_DIR}/engine/built_names.h)
file(CONFIGURE OUTPUT ${MT_BUILT_NAMES} CONTENT "// Names of ops and of ONNX's ops; written by cmake/models.cmake.
#pragma once

#include <array>
#include <string_view>

namespace mt {

inline constexpr auto built_ops = std::to_array<std::string_view>({@ops@});
inline constexpr std::array<std::string_view, @node_count@> built_nodes{@nodes@};

}  // namespace mt
" @ONLY)

list(TRANSFORM MT_BUILT_DTYPES REPLACE "^bool$" "boolean")
list(TRANSFORM MT_BUILT_DTYPES PREPEND "DType::")
list(JOIN MT_BUILT_DTYPES "," dtypes)
target_compile_definitions(moontorch_options INTERFACE MT_BUILT_NAMES="${MT_BUILT_NAMES}" MT_BUILT_DTYPES=${dtypes})

# Removes the sources of other families from lists.
function(keep_families)
  foreach(list IN LISTS ARGN)
    set(kept "")
    foreach(source IN LISTS ${list})
      cmake_path(GET source STEM name)
      string(REGEX MATCH "^[^_]+" family ${name})
      if(family IN_LIST MT_BUILT_FAMILIES)
        list(APPEND kept ${source})
      endif()
    endforeach()
    set(${list} ${kept} PARENT_SCOPE)
  endforeach()
endfunction()
