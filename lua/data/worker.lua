--- A worker's side of a loader.
-- @module data.worker
local torch = require 'torch'
local isTensor = require('libmoontorch').isTensor
local fetch = require 'data.fetch'

local worker = {
  defined = {},      -- names of classes that came from the program
}
local source, number, following, copies

--- What to load from, the worker's number, and whether it is a process, whose results are copied.
function worker.install(newSource, newNumber, isProcess)
  source, number, copies = newSource, newNumber, isProcess
end

local LEAST = 65536      -- bytes of a batch that go through shared memory; less is copied

local function collect(value, list)
  if isTensor(value) then
    if value:nElement() * value:elementSize() >= LEAST then list[#list + 1] = value end
  elseif type(value) == 'table' then
    for _, entry in pairs(value) do collect(entry, list) end
  end
  return list
end

-- A batch whose tensors the other process maps, where they can be shared.
local function shared(batch)
  for _, x in ipairs(collect(batch, {})) do pcall(torch.shared, x) end
  return batch
end

--- The set to load from.
function worker.dataset() return source.dataset end

--- Loads a batch.
-- @return as data.fetch; the worker's number
function worker.load(which, place)
  local done, batch = fetch(source, which, place)
  if done and copies then batch = shared(batch) end
  return done, batch, number
end

--- Begins a stream.
-- @tparam function start
-- @int[opt] seed
function worker.begin(start, seed)
  if seed then torch.manualSeed(seed) end
  following = start(seed)
end

--- Reads a sample of the stream.
-- @treturn bool whether it could be read
-- @return the sample, nil after the last one; or the error with its stack
function worker.read() return xpcall(following, debug.traceback) end

return worker
