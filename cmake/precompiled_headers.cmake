# precompile_headers(TARGET ... HEADERS HEADER ...): parses headers of the system once per target, before each of its C++ files. They are
# half of the compile time of most files. Headers of the project are not among them: a change of one would recompile files that do not
# include it. -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows files that lack an #include.
set(MT_STANDARD_HEADERS <algorithm> <array> <atomic> <bit> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstdlib> <cstring>
  <deque> <functional> <limits> <memory> <mutex> <new> <numeric> <optional> <span> <string> <string_view> <thread> <type_traits>
  <unordered_map> <utility> <variant> <vector>)

function(precompile_headers)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "" "HEADERS")
  foreach(target IN LISTS ARG_UNPARSED_ARGUMENTS)
    target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache needs it
    endif()
  endforeach()
endfunction()
