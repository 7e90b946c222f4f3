--- Libraries with the native parts of packages, `libmoontorch_NAME`: they stand beside libmoontorch, or anywhere on package.cpath.
-- @module torch.native
local ffi = require 'ffi'
local library = require 'torch.library'

local native = {}

--- Whether a file can be read.
-- @string path
function native.exists(path)
  local file = io.open(path, 'rb')
  if file then file:close() end
  return file ~= nil
end

--- The path of a library.
-- @string name such as 'libmoontorch_image.so'
-- @treturn string one beside the main library, where there is nothing
-- @treturn bool whether there is a file
function native.path(name)
  local main = package.searchpath('libmoontorch', package.cpath)
  local beside = (main and main:match '^(.*/)' or './') .. name
  if native.exists(beside) then return beside, true end
  local elsewhere = package.searchpath((name:gsub('%.so$', '')), package.cpath)
  return elsewhere or beside, elsewhere ~= nil
end

local loaded = {}

--- Opens the native part of a package, once.
-- @string package its name, which the library's has, too
-- @string declarations for `ffi.cdef`
-- @treturn cdata the library
-- @raise where it is missing, what brings it
function native.load(package, declarations)
  if not loaded[package] then
    local path = native.path(('libmoontorch_%s.so'):format(package))
    loaded[package] = library.open({ path }, ('%s: %s is missing or can not be loaded: the rock %s brings it, or a build of Moontorch')
      :format(package, path, package))
    ffi.cdef(declarations)
  end
  return loaded[package]
end

return native
