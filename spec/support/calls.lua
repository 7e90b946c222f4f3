-- Measures the length of a code path: the number of calls of Lua and C functions.
local calls = {}

--- Counts the calls that f makes, in the interpreter, after two calls that load modules and prepare caches.
-- @tparam function f
-- @treturn int calls of all functions, including metamethods of FFI; without the call of f
-- @treturn int calls of Lua functions
function calls.count(f)
  local all, ofLua, getinfo = 0, 0, debug.getinfo
  local function note()
    all = all + 1
    if getinfo(2, 'S').what ~= 'C' then ofLua = ofLua + 1 end
  end
  jit.off()
  jit.flush()
  f()
  f()
  collectgarbage()
  collectgarbage 'stop'                              -- calls of finalisers would count
  debug.sethook(note, 'c')
  f()
  debug.sethook()
  collectgarbage 'restart'
  jit.on()
  return all - 2, ofLua - 1                          -- without f, and the call that ends the count
end

return calls
