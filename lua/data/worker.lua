--- A worker's side of a loader.
-- @module data.worker
local fetch = require 'data.fetch'

local worker = {
  defined = {},      -- names of classes that came from the program
}
local source, number, following

--- What to load from, and the worker's number.
function worker.install(newSource, newNumber)
  source, number = newSource, newNumber
end

--- The set to load from.
function worker.dataset() return source.dataset end

--- Loads a batch.
-- @return as data.fetch; the worker's number
function worker.load(which, place)
  local done, batch = fetch(source, which, place)
  return done, batch, number
end

--- Begins a stream.
-- @tparam function start
-- @int[opt] seed
function worker.begin(start, seed)
  if seed then require('torch').manualSeed(seed) end
  following = start(seed)
end

--- Reads a sample of the stream.
-- @treturn bool whether it could be read
-- @return the sample, nil after the last one; or the error with its stack
function worker.read() return xpcall(following, debug.traceback) end

return worker
