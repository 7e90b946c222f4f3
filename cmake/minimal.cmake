# MT_MINIMAL: the engine, its binding and what the forward passes of nn run, small. Left out are AVX-512, BLAS, oneDNN, SLEEF, and families
# of ops by the names of their files; what they declare is known by name, so that a call says why it is not there (engine/core/absent.h).
set(MT_ABSENT fft fft_plan linalg decompositions lapack plain_lapack vendor_lapack histogram warp warp_bilinear optim bits cross distance)
# Kernels where few passes spend their time: for the least processor alone (SSE4), and small rather than fast.
set(MT_COLD compare scan reduce_extrema reduce_norms reduce_tests special power sequence index mask sort counted random philox equal rearrange
  copy where convert normal)

string(APPEND MT_DISABLED_TARGETS "|HWY_AVX3")
set(CMAKE_SHARED_LINKER_FLAGS "${CMAKE_SHARED_LINKER_FLAGS} -Wl,--gc-sections -Wl,-z,pack-relative-relocs -s")
add_compile_options(-ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables)
list(JOIN MT_ABSENT "|" absent)
list(FILTER ENGINE_SOURCES EXCLUDE REGEX "/engine/(cpu|ops)/(${absent})\\.cpp$")
file(GLOB ABSENT_SOURCES ${CMAKE_SOURCE_DIR}/engine/ops/*)
list(FILTER ABSENT_SOURCES INCLUDE REGEX "/(${absent})(-inl)?\\.(h|cpp)$")

# After the options of kernels are known.
function(shrink_sources)
  set(without_avx2 -UHWY_DISABLED_TARGETS "-DHWY_DISABLED_TARGETS=(${MT_DISABLED_TARGETS}|HWY_AVX2)")
  foreach(source IN LISTS ENGINE_SOURCES BINDING_SOURCES)
    cmake_path(GET source STEM name)
    if(name IN_LIST MT_COLD AND source MATCHES "/engine/cpu/")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -Os ${without_avx2})
    elseif(NOT source MATCHES "/engine/cpu/")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -Os)
    endif()
  endforeach()
  set_property(SOURCE ${CMAKE_SOURCE_DIR}/engine/cpu/vendor_blas.cpp APPEND PROPERTY COMPILE_DEFINITIONS MT_WITHOUT_BLAS)
endfunction()
