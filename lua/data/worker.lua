--- A worker's side of a loader.
-- @module data.worker
local fetch = require 'data.fetch'

local worker = {}
local source, number

--- What to load from, and the worker's number.
function worker.install(newSource, newNumber)
  source, number = newSource, newNumber
end

--- Loads a batch.
-- @return as data.fetch; the worker's number
function worker.load(which, place)
  local done, batch = fetch(source, which, place)
  return done, batch, number
end

return worker
