# moontorch_target(TARGET ...): sets the common properties of Moontorch's targets. They are set per target, not per folder, so that a
# project with Moontorch as a subfolder keeps its options, standards and output folders.
add_library(moontorch_options INTERFACE)
target_compile_options(moontorch_options INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wno-unknown-pragmas;-fno-math-errno;-fno-trapping-math>")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)  # an outer project without a build type: kernels need -O2
  target_compile_options(moontorch_options INTERFACE -O2)
endif()
if(CMAKE_SIZEOF_VOID_P EQUAL 4)  # files of more than 2 GB, and with inodes beyond 32 bits
  target_compile_definitions(moontorch_options INTERFACE _FILE_OFFSET_BITS=64)
endif()
if(MT_SANITIZE)
  target_compile_options(moontorch_options INTERFACE -fsanitize=${MT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(moontorch_options INTERFACE -fsanitize=${MT_SANITIZE})
endif()

function(moontorch_target)
  foreach(target IN LISTS ARGV)
    target_link_libraries(${target} PRIVATE moontorch_options)
    set_target_properties(${target} PROPERTIES
      CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF C_STANDARD 99
      POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  endforeach()
endfunction()
