--- The generators of random numbers that a checkpoint contains: torch's, those of GPUs, those of the program.
-- @module trainer.random
local torch, check = require 'torch', require 'torch.check'

local random = {}

local function devices()
  local cuda = require('torch.modules').loaded 'torch.cuda'
  return cuda and cuda.deviceCount() or 0, cuda
end

--- Checks the generators of the program.
-- @string where the start of messages
-- @tparam ?{torch.Generator,...} given
-- @treturn {torch.Generator,...}
function random.read(where, given)
  for i, generator in ipairs(given == nil and {} or check.table(where, 'generators', given)) do
    check.that(torch.type(generator) == 'torch.Generator', ('%s: generators: number %d: %s, expected a torch.Generator'):format(where, i,
      torch.type(generator)))
  end
  return given or {}
end

--- Returns the states of all generators.
-- @tparam {torch.Generator,...} generators the program's
function random.state(generators)
  local state = { torch = torch.getRNGState(), devices = {}, generators = {} }
  local count, cuda = devices()
  for i = 1, count do state.devices[i] = cuda.getRNGState(i) end
  for i, generator in ipairs(generators) do state.generators[i] = torch.getRNGState(generator) end
  return state
end

--- Continues from states. Devices that are missing are left out.
-- @tparam {torch.Generator,...} generators the program's
-- @tparam table state
function random.setState(generators, state)
  if #state.generators ~= #generators then
    check.raise(('generators: %d, expected %d as in the checkpoint'):format(#generators, #state.generators))
  end
  torch.setRNGState(state.torch)
  local count, cuda = devices()
  for i = 1, math.min(count, #state.devices) do cuda.setRNGState(state.devices[i], i) end
  for i, generator in ipairs(generators) do torch.setRNGState(generator, state.generators[i]) end
end

--- Seeds math.random, whose state can't be read, by a position in the run, so that a resumed run draws the same numbers.
-- @number seed of the run
-- @number epoch
-- @number number of a draw in the epoch
function random.begin(seed, epoch, number) math.randomseed((seed % 2 ^ 20 * 4099 + epoch) * 2 ^ 20 + number) end

--- Returns the next batch, between two seedings: a loader without workers draws from math.random, too.
-- @tparam function following
-- @number seed of the run
-- @number epoch
-- @int done number of batches so far
function random.following(following, seed, epoch, done)
  random.begin(seed, epoch, 2 * done)
  local given = following()
  random.begin(seed, epoch, 2 * done + 1)
  return given
end

return random
