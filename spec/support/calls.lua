-- How long a path through the code is: the calls that it makes, of functions of Lua and of C.
local calls = {}

--- Counts the calls that f makes, in the interpreter, after two calls that load and prepare what it needs.
-- @tparam function f
-- @treturn int calls of any function, metamethods of FFI among them; f's own call is none of them
-- @treturn int those of Lua functions
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
  collectgarbage 'stop'                              -- finalisers would count
  debug.sethook(note, 'c')
  f()
  debug.sethook()
  collectgarbage 'restart'
  jit.on()
  return all - 2, ofLua - 1                          -- f, and the call that ends the count
end

return calls
