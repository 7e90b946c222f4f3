--- Lua values as byte tensors that ranks exchange.
-- @module distributed.packing
local torch = require 'torch'
local check, plainBytes = require 'torch.check', require 'torch.file.plain_bytes'

local packing = {}

--- Returns a value as bytes.
-- @string where for messages
-- @param value any value that torch.save accepts without functions
-- @treturn torch.ByteTensor
function packing.pack(where, value)
  return check.call(function()
    local good, storage, size = pcall(plainBytes.write, 'value', value)
    if not good then error(('%s: %s'):format(where, tostring(storage)), 0) end
    return torch.ByteTensor(storage:resize(size))
  end)
end

--- Returns the value of bytes.
-- @string where for messages
-- @tparam torch.ByteTensor bytes
function packing.unpack(where, bytes)
  local good, value = plainBytes.read('value', bytes:storage(), bytes:nElement())
  if not good then check.raise(('%s: %s'):format(where, value)) end
  return value
end

return packing
