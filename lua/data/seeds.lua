--- Where random draws come from: orders of samples, and what loading a sample draws, as functions of a seed, an epoch and a place.
-- @module data.seeds
local torch, check = require 'torch', require 'torch.check'

local math, xpcall = math, xpcall

local seeds = {}

--- A generator.
-- @string where
-- @tparam ?int|torch.Generator seed
-- @treturn ?torch.Generator nil, torch's own, without a seed
function seeds.generator(where, seed)
  if seed == nil or torch.type(seed) == 'torch.Generator' then return seed end
  local generator = torch.Generator()
  torch.manualSeed(generator, check.int(where, 'seed', seed))
  return generator
end

--- Numbers of samples that are drawn.
-- @int size how many there are
-- @int count how many are drawn
-- @bool replacement whether one may come twice
-- @tparam ?torch.Generator generator
-- @treturn torch.LongTensor
function seeds.draw(size, count, replacement, generator)
  if count == 0 or size == 0 then return torch.LongTensor(0) end
  generator = generator or torch._gen
  if replacement then return torch.LongTensor(count):random(generator, 1, size) end
  return torch.randperm(generator, size):long():narrow(1, 1, count):clone()
end

local EPOCHS = 2 ^ 22        -- beyond which the draws of epochs begin again

--- A number that each epoch of each seed has of its own; the places in an epoch are added to it.
-- @int seed
-- @int epoch
-- @treturn int
function seeds.base(seed, epoch)
  local generator = torch.Generator 'philox'
  torch.manualSeed(generator, seed)
  torch.manualSeed(generator, torch.random(generator, 0, 2 ^ 31 - 1) * EPOCHS + epoch % EPOCHS)
  return torch.random(generator, 1, 2 ^ 52)
end

local source      -- the generator that samples draw from while they are loaded

--- Begins the draws of a place: torch's generator and math.random go on from there.
-- @int place
function seeds.begin(place)
  torch.manualSeed(source, place)
  math.randomseed(place % 2 ^ 31)
end

local function restored(own, random, ...)
  torch._gen = own
  math.randomseed(random)
  return ...
end

--- Calls a function that draws from places; afterwards torch's generator goes on where it was. (That of math.random, which can't be
-- read, goes on from a draw of its own.)
-- @tparam function f
-- @tparam function handler of its errors
-- @param ... its arguments
-- @return as xpcall
function seeds.apart(f, handler, ...)
  source = source or torch.Generator 'philox'
  local own, random = torch._gen, math.random(0, 2 ^ 31 - 1)
  torch._gen = source
  return restored(own, random, xpcall(f, handler, ...))
end

return seeds
