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
-- @tparam table rest all else: that of the first rank counts
function folder.write(ranks, name, model, optimizer, rest)
  local bytes = ranks:first(function() return require 'distributed.packing'.pack('Trainer: checkpoints', rest) end)
  ranks.dist.save(name, { model = model, optimizer = optimizer, rest = bytes }, ranks.of)
end

--- Reads a checkpoint. All ranks call it.
-- @tparam ?table of options of torch.distributed.load
-- @string where the start of messages
-- @string name
-- @tparam[opt] function modelOf, given the model's state with tensors that are not read yet, returns that of this rank
-- @tparam[opt] function optimizerOf the same for the optimiser's state
-- @treturn table of trainer.snapshot
-- @raise if it is damaged, or a function refuses it
function folder.read(of, where, name, modelOf, optimizerOf)
  local state, into = {}, {}
  for field, f in pairs { model = modelOf, optimizer = optimizerOf } do
    into[field] = { loadShardedStateDict = function(_, values) state[field] = f(values) end }
  end
  local found = require 'torch.distributed'.load(name, into, of)
  check.that(torch.type(found.rest) == 'torch.ByteTensor', ('%s: %s: no checkpoint of a trainer'):format(where, name))
  local rest = check.table(where, 'checkpoint', require 'distributed.packing'.unpack(where, found.rest))
  rest.model, rest.optimizer = state.model or found.model, state.optimizer or found.optimizer
  return rest
end

return folder
