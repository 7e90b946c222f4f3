# ccache, where it is installed when a build folder is first configured: installing it later changes no command, so that nothing is compiled
# again.
if(NOT DEFINED CACHE{CCACHE})
  find_program(CCACHE ccache)
elseif(CCACHE AND NOT EXISTS ${CCACHE})
  set(CCACHE CCACHE-NOTFOUND CACHE FILEPATH "compiler cache" FORCE)
endif()
if(CCACHE)
  # A file compiled in one checkout serves every other: the compiler gets paths relative to the source folder.
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()
