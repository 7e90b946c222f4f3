--- Values as self-contained bytes: copies, which can also go to files and other processes.
-- @module threads.serialize
local torch = require 'torch'

local serialize = {}

--- @param value anything that torch.serialize supports
-- @treturn torch.CharStorage
function serialize.save(value) return torch.serializeToStorage(value) end

--- @tparam torch.CharStorage storage
-- @return a new copy of the value
function serialize.load(storage) return torch.deserializeFromStorage(storage) end

return serialize
