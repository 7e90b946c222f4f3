--- Values as a storage that stands for them in this process: tensors, storages and containers are those that were saved, the rest is
-- copied.
-- @module threads.sharedserialize
require 'torch'
local C = require 'libmoontorch.threads'

local sharedserialize = {}

--- @function save
-- @param value anything that can go to another thread
-- @treturn torch.CharStorage keeps what it stands for as long as it lives; a copy of its bytes does not
sharedserialize.save = C.save

--- The value; in any thread, any number of times.
-- @function load
-- @tparam torch.CharStorage storage
sharedserialize.load = C.load

return sharedserialize
