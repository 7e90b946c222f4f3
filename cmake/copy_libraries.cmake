# Copies the libraries that PROGRAMS and LIBRARIES need, except those of the C library, and OPENED, to the folder INTO; and the copyright
# files of those that dpkg knows to LICENCES.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PROGRAMS} LIBRARIES ${LIBRARIES} DIRECTORIES ${FOLDERS}
  RESOLVED_DEPENDENCIES_VAR needed PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|gcc_s)\\.so\\." "^ld-linux")
list(APPEND needed ${OPENED})
list(REMOVE_DUPLICATES needed)
foreach(library IN LISTS needed)
  cmake_path(GET library FILENAME name)
  file(REAL_PATH ${library} file)
  file(INSTALL ${file} DESTINATION ${INTO} RENAME ${name} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  execute_process(COMMAND dpkg-query -S ${file} OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE unknown)
  if(unknown)  # if /lib is a link to /usr/lib, dpkg may know either name
    string(REGEX REPLACE "^/usr" "" file ${file})
    execute_process(COMMAND dpkg-query -S ${file} OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE unknown)
  endif()
  if(NOT unknown)
    string(REGEX REPLACE "[,:].*" "" owner ${owner})
    file(REAL_PATH /usr/share/doc/${owner}/copyright copyright)  # GCC's runtime libraries share one
    cmake_path(GET copyright PARENT_PATH folder)
    cmake_path(GET folder FILENAME owner)
    file(INSTALL ${copyright} DESTINATION ${LICENCES} RENAME ${owner})
  endif()
endforeach()
