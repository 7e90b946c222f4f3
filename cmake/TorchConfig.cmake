# find_package(Torch), for rocks written for Torch7 that CMake installs. Rocks of Lua files install on top of Moontorch. C code for Torch7's
# headers can't be built: this file raises a clear error, before the compiler reports a missing TH.h.

# Folders of a rock, below its CMAKE_INSTALL_PREFIX; luarocks installs the files in bin, lib and lua.
set(Torch_INSTALL_BIN_SUBDIR "bin")
set(Torch_INSTALL_LIB_SUBDIR "lib")
set(Torch_INSTALL_LUA_PATH_SUBDIR "lua")
set(Torch_INSTALL_LUA_CPATH_SUBDIR "lib")
set(Torch_INSTALL_SHARE_SUBDIR "share")

function(torch_refuse who what)
  message(FATAL_ERROR "${who}: ${what} asks for Torch7's C libraries (TH.h, luaT.h), which Moontorch does not have: "
    "rocks of Lua files install on top of it, and C code reaches its tensors by moontorch/moontorch.h.")
endfunction()

# add_torch_package(name "${src}" "${luasrc}" "Description"): installs the Lua files as the package.
function(add_torch_package name src luasrc)
  if(src)
    list(GET src 0 first)
    torch_refuse(${name} ${first})
  endif()
  string(REPLACE "." "/" folder "${name}")
  foreach(file ${luasrc})
    get_filename_component(file "${file}" ABSOLUTE)
    if(IS_DIRECTORY "${file}")
      install(DIRECTORY "${file}" DESTINATION "${Torch_INSTALL_LUA_PATH_SUBDIR}/${folder}")
    else()
      install(FILES "${file}" DESTINATION "${Torch_INSTALL_LUA_PATH_SUBDIR}/${folder}")
    endif()
  endforeach()
endfunction()

# add_torch_wrap(target file): in Torch7, it generated C code from a description of functions.
function(add_torch_wrap target file)
  torch_refuse(${target} ${file})
endfunction()

# add_torch_dok(...): in Torch7, it generated the package's documentation. It does nothing here.
function(add_torch_dok)
endfunction()

# Checks the targets that a project compiles itself, after all of them are defined.
function(torch_check_targets folder)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_property(libraries TARGET ${target} PROPERTY LINK_LIBRARIES)
    foreach(library ${libraries})
      if(library MATCHES "^(TH|luaT|THNN)$")
        torch_refuse(${target} "linking ${library}")
      endif()
    endforeach()
    get_property(sources TARGET ${target} PROPERTY SOURCES)
    foreach(source ${sources})
      get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${folder}")
      if(EXISTS "${path}")
        file(STRINGS "${path}" wanted REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"](TH|luaT)[./]")
        if(wanted)
          torch_refuse(${target} ${source})
        endif()
      endif()
    endforeach()
  endforeach()
  get_property(subfolders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(subfolder ${subfolders})
    torch_check_targets("${subfolder}")
  endforeach()
endfunction()
cmake_language(DEFER CALL torch_check_targets "${CMAKE_CURRENT_SOURCE_DIR}")
