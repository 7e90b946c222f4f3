# add_package_library(NAME [SOURCE ...]): the native part of a package, libmoontorch_NAME beside libmoontorch, of the C and C++ files in the
# caller's folder and the given ones. It links against nothing of ours; FFI opens it by lua/torch/native.lua. The rock NAME has it.
function(add_package_library name)
  file(GLOB sources CONFIGURE_DEPENDS *.c *.cpp)
  set(library moontorch_${name})
  add_library(${library} MODULE ${sources} ${ARGN})
  target_include_directories(${library} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${library} PRIVATE $<TARGET_PROPERTY:engine,INTERFACE_COMPILE_DEFINITIONS>)
  target_compile_options(${library} PRIVATE ${KERNEL_OPTIONS})
  target_link_options(${library} PRIVATE -Wl,-z,defs -Wl,--exclude-libs,ALL -Wl,--version-script=${EXPORTS})
  install_native_part(${library} ${name})
endfunction()
