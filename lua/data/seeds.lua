--- Seeds of random draws: orders of samples, and draws while a sample is loaded, are functions of a seed, an epoch and a place.
-- @module data.seeds
local torch, check = require 'torch', require 'torch.check'

local math, xpcall = math, xpcall

local seeds = {}

--- Returns a generator.
-- @string where
-- @tparam ?int|torch.Generator seed
-- @treturn ?torch.Generator nil, for torch's global one, without a seed
function seeds.generator(where, seed)
  if seed == nil or torch.type(seed) == 'torch.Generator' then return seed end
  local generator = torch.Generator()
  torch.manualSeed(generator, check.int(where, 'seed', seed))
  return generator
end

--- Draws numbers of samples.
-- @int size number of samples
-- @int count number of draws
-- @bool replacement whether a number may occur twice
-- @tparam ?torch.Generator generator
-- @treturn torch.LongTensor
function seeds.draw(size, count, replacement, generator)
  if count == 0 or size == 0 then return torch.LongTensor(0) end
  generator = generator or torch._gen
  if replacement then return torch.LongTensor(count):random(generator, 1, size) end
  return torch.randperm(generator, size):long():narrow(1, 1, count):clone()
end

local EPOCHS = 2 ^ 22        -- after this number of epochs the draws repeat

--- A number for each epoch of each seed, to which callers add the places in the epoch.
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

--- Begins the draws of a place: seeds torch's generator and math.random with it.
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

--- Calls a function that draws from places; afterwards torch's generator continues from its former state. (The state of math.random can't
-- be read, so it continues from a seed that it drew before.)
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
