# libmoontorch.a, on demand (MT_STATIC, or the target moontorch_static): the shared library's objects in one object, with the same exported
# symbols. As it is one object, any reference to mt_* or luaopen_* links all of it, and internal names can't clash with a program's.
option(MT_STATIC "build and install the static library, too" OFF)
if(NOT CMAKE_OBJCOPY)
  return()
endif()

set(MT_WHOLE_OBJECT ${PROJECT_BINARY_DIR}/moontorch.o)
set(whole "")
foreach(target moontorch_kernels moontorch_engine moontorch)
  list(APPEND whole "$<FILTER:$<TARGET_OBJECTS:${target}>,EXCLUDE,\\.(gch|pch)$>")  # without precompiled headers
endforeach()
# Converts group (COMDAT) sections to plain ones: otherwise the linker could replace them by a program's, and drop local symbols.
add_custom_command(OUTPUT ${MT_WHOLE_OBJECT} VERBATIM COMMAND_EXPAND_LISTS
  COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${MT_WHOLE_OBJECT} ${whole}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --weaken-symbol=*2mt* --weaken-symbol=_ZZ* ${MT_WHOLE_OBJECT}  # instead of unique symbols, which would stay global
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=mt_* --keep-global-symbol=luaopen_* ${MT_WHOLE_OBJECT}
  DEPENDS moontorch_kernels moontorch_engine moontorch ${whole}
  COMMENT "Joining the objects of libmoontorch.a")
set_source_files_properties(${MT_WHOLE_OBJECT} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
add_library(moontorch_static STATIC ${MT_WHOLE_OBJECT})
set_target_properties(moontorch_static PROPERTIES OUTPUT_NAME moontorch EXPORT_NAME static LINKER_LANGUAGE CXX
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_include_directories(moontorch_static INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine/include>)
# Further libraries that programs need, also C programs: Libs.private of pkg-config.
set(MT_STATIC_LIBRARIES -lstdc++ -lm -lpthread -ldl)
if(SLEEF_FOUND)
  list(PREPEND MT_STATIC_LIBRARIES -lsleef)
endif()
if(NOT MT_HAS_SMALL_ATOMICS)
  list(APPEND MT_STATIC_LIBRARIES -latomic)
endif()
list(JOIN MT_STATIC_LIBRARIES " " MT_STATIC_LIBS)
target_link_libraries(moontorch_static INTERFACE ${MT_STATIC_LIBRARIES})
add_library(Moontorch::static ALIAS moontorch_static)
if(NOT MT_STATIC)
  set_target_properties(moontorch_static PROPERTIES EXCLUDE_FROM_ALL ON)
elseif(MT_INSTALL)
  install(TARGETS moontorch_static EXPORT Moontorch ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION include)
endif()
