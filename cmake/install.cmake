# The files and folders of `cmake --install`: the program, the library, the native parts of packages in a folder next to it, headers, Lua
# files, the manual, and files for pkg-config and CMake. No file contains the prefix, so the tree can be moved. Optional programs and
# libraries are installed only if they were built: bin/quickstart builds only the targets that the digits example needs.
set(NATIVE_PARTS_DIR ${CMAKE_INSTALL_LIBDIR}/moontorch)
set(LUA_DIR share/moontorch/lua)
set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Moontorch)

if(MT_PROGRAMS)
  install(TARGETS th RUNTIME DESTINATION bin)
endif()
install(TARGETS moontorch EXPORT Moontorch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION include)
install(DIRECTORY engine/include/moontorch DESTINATION include)
install(DIRECTORY lua/ DESTINATION ${LUA_DIR})
install(DIRECTORY docs/reference/ DESTINATION share/moontorch/reference FILES_MATCHING PATTERN "*.md")
install(FILES docs/man/th.1 DESTINATION share/man/man1)
install(FILES docs/man/moontorch.7 DESTINATION share/man/man7)
if(MT_BUNDLE)
  set(examples_left_out PATTERN notebook EXCLUDE)  # a bundle has no kernel to run them
endif()
install(DIRECTORY examples DESTINATION share/moontorch ${examples_left_out})
install(FILES LICENSE DESTINATION share/doc/moontorch RENAME copyright)
install(FILES cmake/TorchConfig.cmake DESTINATION share/cmake/torch)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/MoontorchConfig.cmake.in ${PROJECT_BINARY_DIR}/MoontorchConfig.cmake
  INSTALL_DESTINATION ${PACKAGE_DIR} PATH_VARS LUA_DIR NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/MoontorchConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/MoontorchConfig.cmake ${PROJECT_BINARY_DIR}/MoontorchConfigVersion.cmake DESTINATION ${PACKAGE_DIR})
install(EXPORT Moontorch NAMESPACE Moontorch:: FILE MoontorchTargets.cmake DESTINATION ${PACKAGE_DIR})

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig
  OUTPUT_VARIABLE UP_TO_PREFIX)
set(MT_PC_RPATH "-Wl,-rpath,\${libdir} ")  # the loader doesn't search other prefixes
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(MT_PC_RPATH "")
endif()
configure_file(cmake/moontorch.pc.in ${PROJECT_BINARY_DIR}/moontorch.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/moontorch.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Installs a native part of a package, or a plug-in, by `cmake --install` and in its rock.
function(install_native_part library rock)
  set_property(GLOBAL APPEND PROPERTY NATIVE_PARTS ${library})
  install(TARGETS ${library} LIBRARY DESTINATION ${NATIVE_PARTS_DIR} OPTIONAL)
  install(TARGETS ${library} LIBRARY DESTINATION lib COMPONENT ${rock} EXCLUDE_FROM_ALL)
endfunction()

# The rock torch: luarocks installs bin and lib, and keeps the rest in the rock's folder. The library is one file, without links.
if(MT_PROGRAMS)
  install(TARGETS th RUNTIME DESTINATION bin COMPONENT rock EXCLUDE_FROM_ALL)
endif()
install(PROGRAMS $<TARGET_FILE:moontorch> DESTINATION lib RENAME libmoontorch.so COMPONENT rock EXCLUDE_FROM_ALL)
install(CODE "
  if(CMAKE_INSTALL_DO_STRIP)
    execute_process(COMMAND ${CMAKE_STRIP} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/libmoontorch.so\" COMMAND_ERROR_IS_FATAL ANY)
  endif()" COMPONENT rock EXCLUDE_FROM_ALL)
install(DIRECTORY engine/include/moontorch DESTINATION include COMPONENT rock EXCLUDE_FROM_ALL)
install(FILES cmake/TorchConfig.cmake cmake/rock/MoontorchConfig.cmake cmake/register DESTINATION cmake COMPONENT rock EXCLUDE_FROM_ALL)

# `cmake --build ... --target uninstall` removes the files of the last `cmake --install`.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake ${PROJECT_BINARY_DIR}/install_manifest.txt)
endif()

# Runs after all native parts are defined.
function(finish_installation)
  get_property(NATIVE_PARTS GLOBAL PROPERTY NATIVE_PARTS)
  if(MT_BUNDLE)
    include(cmake/bundle.cmake)
  endif()
  if(PROJECT_IS_TOP_LEVEL)
    include(cmake/package.cmake)
  endif()
endfunction()
cmake_language(DEFER CALL finish_installation)
