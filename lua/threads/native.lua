--- Lua functions that the native part calls, in the program's state and in those of threads; each file is loaded on first use.
-- @module threads.native
local files = {
  kindOfNumber = 'threads.numbers', makeInteger = 'threads.numbers', makeComplex = 'threads.numbers',
  class = 'threads.named', value = 'threads.named', folder = 'threads.named',
  writesItself = 'threads.hooks', written = 'threads.hooks', readAll = 'threads.hooks',
}

return setmetatable({}, {
  __index = function(native, name)
    local f = require(files[name])[name]
    rawset(native, name, f)
    return f
  end,
})
