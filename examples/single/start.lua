-- Makes `require` find the files in the program, and runs the script of the command line, or main.lua.

-- A package loader without upvalues, because it is also sent to Lua threads. Returns the module's function, or an error message.
local function find(name)
  local ffi = require 'ffi'
  if not getmetatable(package.preload) then      -- for code that looks for a package without loading it
    pcall(ffi.cdef, 'const char *embedded_find(const char *name, size_t *size);')
    setmetatable(package.preload, { __index = function(_, module)
      local found = find(module)
      return type(found) == 'function' and found or nil
    end })
  end
  local size = ffi.new 'size_t[1]'
  local code = ffi.C.embedded_find(name, size)
  if code == nil then return ("\n\tno embedded file '%s'"):format(name) end
  return assert(loadstring(ffi.string(code, size[0])))
end

table.insert(package.loaders, find)
local script
local words = arg
if words[1] then
  words[0] = table.remove(words, 1)      -- the script's arguments follow, as in the program lua
  script = assert(loadfile(words[0]))
else
  script = find 'main'
end
local good, message = xpcall(function() return script(unpack(words)) end, debug.traceback)
if not good then error(message, 0) end
