--- Gives LuaJIT's complex numbers arithmetic: `3 + 4i` is one, and elements of complex tensors are.
-- LuaJIT has the literal `4i`, the type, and the fields `re` and `im`. torch.complex_numbers, which is loaded at the first operation, adds
-- what Lua's numbers have, and the methods abs, angle, conj, real and imag. A program or library that has given the type operators of its
-- own keeps these.
-- @module torch.start.complex
local ffi = require 'ffi'

local operators = {}
for name in ('__add __sub __mul __div __unm __pow __eq'):gmatch '%S+' do
  local own
  operators[name] = function(a, b)
    own = own or require('torch.complex_numbers')[name]
    return own(a, b)      -- a tail call: errors report the caller's line
  end
end
function operators.__index(_, name) return require('torch.complex_numbers').__index[name] end

for _, ctype in ipairs { 'complex', 'complex float' } do pcall(ffi.metatype, ctype, operators) end
