--- The mark in files for storages of images that are deliberately channels last: their class has version 2. Readers of t7 files pass a
-- class's version to its read function, and Torch7's storages ignore it.
-- @module torch.file.image_layout
local C = require 'libmoontorch'
local class = require 'torch.class'

local channelsLast = 2

local layout = {}

--- Returns the version to write for an object.
function layout.version(object)
  return C.isStorage(object) and C.holdsChannelsLast(object) and channelsLast or class.version(object)
end

--- Marks a storage after reading it, if its file has the mark.
-- @tparam Storage storage
-- @int version
function layout.restore(storage, version)
  if version == channelsLast then C.holdsChannelsLast(storage, true) end
end

return layout
