--- The set that a thread of a tnt.ParallelDatasetIterator loads samples from.
-- @module torchnet.dataset.held
local data = require 'data'

local held = {}
local dataset

--- Keeps a set.
function held.set(set) dataset = set end

--- A sample of it.
-- @int index
function held.get(index) return dataset:get(index) end

--- Calls a method of it, or of what it is made of.
-- @string name
-- @param ... arguments
function held.exec(name, ...) return data.Dataset.exec(dataset, name, ...) end

return held
