--- A checkpoint that all ranks write, each the elements that it has: a folder of torch.distributed.save.
-- @module trainer.checkpoint_folder
local torch, check, paths = require 'torch', require 'torch.check', require 'paths'

local folder = {}

--- Returns whether a checkpoint is a complete folder.
-- @string name
-- @treturn bool
function folder.is(name) return paths.filep(name .. '/manifest') end

--- Writes a checkpoint, completely or not at all. All ranks call it.
-- @tparam table ranks
-- @string name
-- @tparam table model its tensors, or shards of them, by name, and its classes
-- @tparam table optimizer its state, with shards
-- @tparam ?table average of the weights, in the format of an optimiser's state
-- @tparam table rest all else: that of the first rank counts
function folder.write(ranks, name, model, optimizer, average, rest)
  local bytes = ranks:first(function() return require 'distributed.packing'.pack('Trainer: checkpoints', rest) end)
  ranks.dist.save(name, { model = model, optimizer = optimizer, average = average, rest = bytes }, ranks.of)
end

--- Returns the state of an optim.WeightAverage from one in the format of an optimiser's.
-- @tparam table state
-- @treturn table
function folder.averageFormat(state)
  local averages, count = {}, 0
  for i, own in pairs(state.state) do averages[i], count = own.average, own.count end
  return { averages = averages, count = count }
end

--- Returns the state of averages in the format of an optimiser's.
-- @tparam table state of optim.WeightAverage
-- @treturn table
function folder.optimizerFormat(state)
  local numbers, states = {}, {}
  for i, average in ipairs(state.averages) do numbers[i], states[i] = i, { average = average, count = state.count } end
  return { class = 'optim.WeightAverage', groups = { { parameters = numbers } }, state = states }
end

--- Reads a checkpoint. All ranks call it.
-- @tparam ?table of options of torch.distributed.load
-- @string where the start of messages
-- @string name
-- @tparam[opt] {[string]=function,...} parts by field, 'model', 'optimizer' and 'average': given a state with tensors that are not read
--   yet, each returns that of this rank
-- @treturn table of trainer.snapshot
-- @raise if it is damaged, or a function refuses it
function folder.read(of, where, name, parts)
  local state, into = {}, {}
  for field, f in pairs(parts or {}) do
    into[field] = { loadShardedStateDict = function(_, values) state[field] = f(values) end }
  end
  local found = require 'torch.distributed'.load(name, into, of)
  check.that(torch.type(found.rest) == 'torch.ByteTensor', ('%s: %s: no checkpoint of a trainer'):format(where, name))
  local rest = check.table(where, 'checkpoint', require 'distributed.packing'.unpack(where, found.rest))
  for _, field in ipairs { 'model', 'optimizer', 'average' } do rest[field] = state[field] or found[field] end
  if rest.average then rest.average = folder.averageFormat(rest.average) end
  return rest
end

return folder
