--- How files say that images lie in a storage with their channels last on purpose: its class has version 2 there. Readers of t7 files hand
-- a class's version to what reads its contents, and Torch7's storages don't look at it.
-- @module torch.file.image_layout
local C = require 'libmoontorch'
local class = require 'torch.class'

local channelsLast = 2

local layout = {}

--- The version to write for an object.
function layout.version(object)
  return C.isStorage(object) and C.holdsChannelsLast(object) and channelsLast or class.version(object)
end

--- Marks a storage that was read, if its file does.
-- @tparam Storage storage
-- @int version
function layout.restore(storage, version)
  if version == channelsLast then C.holdsChannelsLast(storage, true) end
end

return layout
