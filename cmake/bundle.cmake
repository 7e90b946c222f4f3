# MT_BUNDLE: an installation that runs from any folder of a system with glibc. The libraries that it needs, and those that are loaded at
# run time, are copied to the folder of native parts, with their licences. DT_RPATH finds them; unlike DT_RUNPATH it also applies to the
# dependencies of libraries. The C++ library is linked statically, because a host may need a newer one. The libraries of the C library,
# including libgcc_s, are the system's.
set(opened "")
foreach(name libopenblas.so.0 libgomp.so.1 libz.so.1)
  find_library(BUNDLED_${name} NAMES ${name} PATH_SUFFIXES openblas-openmp REQUIRED)
  list(APPEND opened ${BUNDLED_${name}})
endforeach()

foreach(target th moontorch ${NATIVE_PARTS})
  target_link_options(${target} PRIVATE -static-libstdc++ -Wl,--exclude-libs,libstdc++.a -Wl,--disable-new-dtags)
endforeach()
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/bin OUTPUT_VARIABLE up)
set_target_properties(th PROPERTIES INSTALL_RPATH "$ORIGIN/${up}/${NATIVE_PARTS_DIR}")
set_target_properties(moontorch PROPERTIES INSTALL_RPATH "$ORIGIN/moontorch")
foreach(target ${NATIVE_PARTS})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
endforeach()

set(parts ${NATIVE_PARTS})
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_FILE:\\1>")
install(CODE "
  set(CMAKE_GET_RUNTIME_DEPENDENCIES_TOOL objdump)
  set(CMAKE_GET_RUNTIME_DEPENDENCIES_COMMAND ${CMAKE_OBJDUMP})
  set(PROGRAMS $<TARGET_FILE:th>)
  set(LIBRARIES $<TARGET_FILE:moontorch> ${parts} ${opened})
  set(OPENED ${opened})
  set(FOLDERS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /lib/${CMAKE_LIBRARY_ARCHITECTURE})
  set(INTO \${CMAKE_INSTALL_PREFIX}/${NATIVE_PARTS_DIR})
  set(LICENCES \${CMAKE_INSTALL_PREFIX}/share/doc/moontorch/licences)")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/copy_libraries.cmake)
