--- The set that a thread of a tnt.ParallelDatasetIterator loads samples from.
-- @module torchnet.dataset.held
local data = require 'data'

local held = {}
local dataset

--- Sets the data set.
function held.set(set) dataset = set end

--- A sample of the set.
-- @int index
function held.get(index) return dataset:get(index) end

--- Calls a method of the set, or of the sets that it wraps.
-- @string name
-- @param ... arguments
function held.exec(name, ...) return data.Dataset.exec(dataset, name, ...) end

return held
