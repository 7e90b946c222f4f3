--- The environment of torch and its values: terminals, package folders, threads of the host, garbage collection, environments of functions.
-- @module torch.start.environment
local C = require 'libmoontorch'
local class = require 'torch.class'

local environment = {}

local isDeclared = false

--- Returns whether a file of Lua's io library is a terminal.
-- @tparam file file such as io.stdout
function environment.isatty(file)
  local kind = io.type(file) or class.type(file)
  if kind ~= 'file' then error('isatty: file: ' .. kind .. ', expected an open file', 2) end
  local ffi = require 'ffi'
  if not isDeclared then      -- LuaJIT keeps each declaration, of which it can have 65536
    ffi.cdef 'int mt_fileno(void *file) asm("fileno"); int mt_isatty(int descriptor) asm("isatty");'
    isDeclared = true
  end
  return ffi.C.mt_isatty(ffi.C.mt_fileno(ffi.cast('void *', file))) ~= 0
end

--- Returns the folder of a Lua package on package.path: that of its file `NAME/init.lua` or `NAME.lua`.
-- @string[opt] name default: the folder that contains torch's
-- @treturn ?string nil if it is not found
function environment.packageLuaPath(name)
  local paths = require 'paths'
  if name == nil then
    local own = environment.packageLuaPath 'torch'
    return own and paths.dirname(own)
  end
  if type(name) ~= 'string' then error('packageLuaPath: name: ' .. class.type(name) .. ', expected a string', 2) end
  local file = name:gsub('%.', '/')
  for pattern in package.path:gmatch '[^;]+' do
    local path = pattern:gsub('%?', (file:gsub('%%', '%%%%')))
    if paths.filep(path) then return paths.concat(paths.dirname(path)) end
  end
end

--- Sets whether the memory of tensors drives Lua's collector; the default is on.
-- @bool on
function environment.setheaptracking(on)
  if type(on) ~= 'boolean' then error('setheaptracking: on: ' .. class.type(on) .. ', expected a boolean', 2) end
  C.heapTracking(on)
  require('torch')._heaptracking = on
end

--- Does nothing: a Lua state needs no update when it moves to another thread. For programs written for Torch7.
function environment.updateerrorhandlers() end
environment.updatethreadlocals = environment.updateerrorhandlers

--- Returns the environment table of a function or userdata.
-- @tparam function|userdata x
-- @treturn table
function environment.getenv(x)
  if type(x) == 'function' then return getfenv(x) end
  if type(x) == 'userdata' then return debug.getfenv(x) end
  error('getenv: x: ' .. type(x) .. ', expected a function or userdata', 2)
end

--- Sets the environment table of a function or userdata.
-- @tparam function|userdata x
-- @tparam table values
function environment.setenv(x, values)
  if type(values) ~= 'table' then error('setenv: environment: ' .. type(values) .. ', expected a table', 2) end
  if type(x) == 'function' then
    setfenv(x, values)
  elseif type(x) == 'userdata' then
    debug.setfenv(x, values)
  else
    error('setenv: x: ' .. type(x) .. ', expected a function or userdata', 2)
  end
end

return environment
