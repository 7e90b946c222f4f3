--- Ranks that train copies of a network with an optim.ZeroRedundancyOptimizer: each has a part of the optimiser's state, which it writes to
-- checkpoints and reads from them.
-- @module trainer.shared_optimizer
local Together, folder = require 'trainer.ranks'.Together, require 'trainer.checkpoint_folder'

local SharedOptimizer = setmetatable({}, Together)
SharedOptimizer.__index = SharedOptimizer

--- @tparam table self `dist`, `options`
-- @tparam table read options of the trainer that are checked: `optimizer`, one of these or the class that each rank has of its part
-- @treturn table
function SharedOptimizer.new(self, read)
  if not read.isClass then self.optimizer = read.optimizer end
  return setmetatable(self, SharedOptimizer)
end

function SharedOptimizer:optimizerOf(model, class, config)
  self.optimizer = require('optim').ZeroRedundancyOptimizer((model:parameters()), class, config, self.of)
  return self.optimizer
end

-- The state is that of the optimiser of this rank's part.
function SharedOptimizer:state() return self.optimizer.optimizer:stateDict() end

function SharedOptimizer:setState(_, state)
  self.optimizer:zeroGrad()
  self.optimizer.optimizer:loadStateDict(state)
end

function SharedOptimizer:write(name, state, average)
  self:shareBuffers()      -- until the next pass, each rank has its own
  self:writeParts(name, state, state.model.tensors, self.optimizer, average and folder.optimizerFormat(average:stateDict()))
end

function SharedOptimizer:read(problems, name)
  return self:readParts(problems, name, { optimizer = function(values) return self.optimizer:_part(values) end })
end

return SharedOptimizer
