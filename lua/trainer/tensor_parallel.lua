--- Ranks that train nn.TensorParallel, or copies of it: those of a copy have parts of layers, and compute each batch together.
-- @module trainer.tensor_parallel
local torch, nn = require 'torch', require 'nn'
local ranks, Spread, SpreadState = require 'trainer.ranks', require 'trainer.spread', require 'trainer.spread_state'
local Together, Alone = ranks.Together, ranks.Alone

local TensorParallel = setmetatable({}, Spread)
TensorParallel.__index = TensorParallel

TensorParallel.speaker = 0      -- all ranks of a copy have the same outputs

--- @tparam table self `dist`, `options`
-- @tparam table read options of the trainer that are checked
-- @treturn table
function TensorParallel.new(self, read) return Spread.new(TensorParallel, self, read, 'tensorParallel', { 'plan' }) end

local function itself(name) return name end

function TensorParallel:wrap(model)
  local whole = SpreadState.whole(model)
  local net = nn.TensorParallel(model, { plan = self.plan, group = self.row })
  self:setNet(net, whole, net:get(1), itself, self.row)
  self.model = self.count > 1 and nn.DistributedDataParallel(net, self.copies) or net
  return self.model, net
end

-- In training each forward gives the ranks of a copy one generator; until the first one, it is this call.
function TensorParallel:begin()
  local state = torch.getRNGState()
  self.dist.broadcast(state, self.row.ranks[1], { group = self.row })
  torch.setRNGState(state)
end

function TensorParallel:add(...) return (self.count > 1 and Together or Alone).add(self, ...) end

function TensorParallel.whole(_, net) return net:gathered() end

return TensorParallel
