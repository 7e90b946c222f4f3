--- A worker's side of a loader.
-- @module data.worker
local torch = require 'torch'
local isTensor = require('libmoontorch').isTensor
local fetch = require 'data.fetch'

local worker = {
  defined = {},      -- names of classes that the program sent
}
local source, number, following, copies

--- Sets the source, the worker's number, and whether it is a process, whose results are copied.
function worker.install(newSource, newNumber, isProcess)
  source, number, copies = newSource, newNumber, isProcess
end

local LEAST = 65536      -- bytes; larger tensors of a batch go through shared memory, smaller ones are copied

local function collect(value, list)
  if isTensor(value) then
    if value:nElement() * value:elementSize() >= LEAST then list[#list + 1] = value end
  elseif type(value) == 'table' then
    for _, entry in pairs(value) do collect(entry, list) end
  end
  return list
end

-- Moves a batch's tensors to memory that the other process can map, if possible.
local function shared(batch)
  for _, x in ipairs(collect(batch, {})) do pcall(torch.shared, x) end
  return batch
end

--- The source's data set.
function worker.dataset() return source.dataset end

--- Loads a batch.
-- @return as from data.fetch; the worker's number
function worker.load(which, place)
  local done, batch = fetch(source, which, place)
  if done and copies then batch = shared(batch) end
  return done, batch, number
end

--- Starts a stream.
-- @tparam function start
-- @int[opt] seed
function worker.begin(start, seed)
  if seed then torch.manualSeed(seed) end
  following = start(seed)
end

--- Reads a sample of the stream.
-- @treturn bool whether reading succeeded
-- @return the sample, nil after the last one; or the error with its stack
function worker.read() return xpcall(following, debug.traceback) end

return worker
