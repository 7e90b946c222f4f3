--- Values in messages.
-- @module torch.check.message
local class, ffi = require 'torch.class', require 'ffi'
local isTensor = require('libmoontorch').isTensor

local message = {}

--- Formats sizes: "[2, 3]".
-- @tparam torch.LongStorage sizes
function message.listed(sizes) return '[' .. table.concat(sizes:totable(), ', ') .. ']' end

--- Formats the sizes of a tensor.
function message.sizes(x) return message.listed(x:size()) end

--- Formats a tensor by its type and sizes: "torch.DoubleTensor [2, 3]".
function message.tensor(x) return ('%s %s'):format(class.type(x), message.sizes(x)) end

--- Returns whether a value is one of LuaJIT's complex numbers.
function message.isComplex(value) return type(value) == 'cdata' and (ffi.istype('complex', value) or ffi.istype('complex float', value)) end

--- Formats any value by its type, without an article: "string", "complex number".
function message.type(value) return message.isComplex(value) and 'complex number' or class.type(value) end

--- Formats any value by its type: "a string", "a torch.DoubleTensor"; "nil" for nil.
function message.kind(value) return value == nil and 'nil' or 'a ' .. message.type(value) end

--- Formats any value: type and sizes of tensors, the first entries of tables.
function message.value(value)
  if isTensor(value) then return message.tensor(value) end
  if type(value) == 'string' then return ("'%s'"):format(value) end
  if type(value) ~= 'table' or class.typename(value) then
    return (type(value) == 'table' or type(value) == 'userdata') and class.type(value) or tostring(value)
  end
  local entries = {}
  for i = 1, math.min(#value, 4) do entries[i] = message.value(value[i]) end
  for key, entry in pairs(value) do
    if type(key) == 'string' and #entries < 4 then entries[#entries + 1] = ('%s = %s'):format(key, message.value(entry)) end
  end
  if #value > 4 then entries[5] = ('... (%d in all)'):format(#value) end
  return ('{%s}'):format(table.concat(entries, ', '))
end

return message
