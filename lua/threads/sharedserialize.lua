--- Values as a storage that refers to them in this process: tensors, storages and containers are shared with the saved ones, the rest is
-- copied.
-- @module threads.sharedserialize
require 'torch'
local C = require 'libmoontorch.threads'

local sharedserialize = {}

--- @function save
-- @param value anything that can be sent to another thread
-- @treturn torch.CharStorage keeps the values alive as long as it exists; a copy of its bytes does not
sharedserialize.save = C.save

--- Returns the value; in any thread, any number of times.
-- @function load
-- @tparam torch.CharStorage storage
sharedserialize.load = C.load

return sharedserialize
