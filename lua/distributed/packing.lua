--- Lua values as byte tensors, in the format of torch.save, without functions: loading one would run a rank's code on another.
-- @module distributed.packing
local torch = require 'torch'
local check = require 'torch.check'
assert(torch.File)      -- loads the files of the format
local Memory, oneObject = require 'torch.file.memory_channel', require 'torch.file.one_object'

local packing = {}

local plain = { functions = false }

--- Returns a value as bytes.
-- @string where for messages
-- @param value any value that torch.save accepts without functions
-- @treturn torch.ByteTensor
function packing.pack(where, value)
  local storage = torch.ByteStorage()
  local channel = Memory.ofStorage(storage, 0)
  check.call(function()
    local good, problem = pcall(oneObject.write, channel, 'value', value, 'binary', plain)
    if not good then error(('%s: %s'):format(where, tostring(problem)), 0) end
  end)
  local size = channel:size()
  return torch.ByteTensor(channel:storage(torch.ByteStorage):resize(size))
end

--- Returns the value of bytes.
-- @string where for messages
-- @tparam torch.ByteTensor bytes
function packing.unpack(where, bytes)
  local good, value = oneObject.read(Memory.ofStorage(bytes:storage(), bytes:nElement()), 'value', 'binary', plain)
  if not good then check.raise(('%s: %s'):format(where, value)) end
  return value
end

return packing
