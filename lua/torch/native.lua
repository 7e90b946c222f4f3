--- Libraries with the native parts of packages, `libmoontorch_NAME`: they are next to libmoontorch, in the folder `moontorch` next to it,
-- or in an absolute entry of package.cpath.
-- @module torch.native
local C = require 'libmoontorch'
local check = require 'torch.check'
local library = require 'torch.library'
local modules = require 'torch.modules'

local native = {}

--- Returns whether a file can be read.
-- @string path
function native.exists(path)
  local file = io.open(path, 'rb')
  if file then file:close() end
  return file ~= nil
end

--- Returns the path of a library.
-- @string name such as 'libmoontorch_image.so'
-- @treturn string if no file exists, the path next to the main library
-- @treturn bool whether there is a file
function native.path(name)
  local folder = C.file:match '^(.*/)' or './'
  for _, path in ipairs { folder .. name, folder .. 'moontorch/' .. name } do      -- in a build or a rock; in an installation
    if native.exists(path) then return path, true end
  end
  local elsewhere = package.searchpath((name:gsub('%.so$', '')), modules.absolute(package.cpath))
  return elsewhere or folder .. name, elsewhere ~= nil
end

local loaded = {}

--- Returns the native part of a package, whose functions have been declared to FFI. It is opened when one of them is first used; if it is
-- missing, each call raises an error that says which package contains it.
-- @string package its name, which is part of the library's name
-- @treturn table its functions by name
function native.functions(package)
  loaded[package] = loaded[package] or setmetatable({}, {
    __index = function(functions, name)
      local path = native.path(('libmoontorch_%s.so'):format(package))
      local opened = check.call(library.open, { path },
        ('%s: %s is missing or can not be loaded: the rock %s brings it, or a build of Moontorch'):format(package, path, package))
      functions[name] = opened[name]
      return functions[name]
    end,
  })
  return loaded[package]
end

return native
