--- AdamW: Adam whose weight decay doesn't pass through the running means.
-- Options of optim.AdamW: those of optim.Adam, with another default: `weightDecay` (1e-2).
-- x = (1 - rate weightDecay) x, then Adam's step without weight decay; rate = learningRate / (1 + (t - 1) learningRateDecay).
-- Source: Loshchilov & Hutter (2019), "Decoupled Weight Decay Regularization", ICLR, algorithm 2.
-- @module optim.adamw
local optim = require 'optim'
require 'optim.adam'
local noGrad = require('autograd.mode').noGrad
local lists, begin, masters = require 'optim.lists', require 'optim.begin', require 'optim.masters'

local function decay(x, factor)
  for _, tensor in ipairs(lists.of(x)) do tensor:mul(factor) end
end

-- Adam's options: those of a config, including later changes, without its weight decay.
local function plain(config)
  return setmetatable({ weightDecay = 0 }, { __index = config })
end

--- One step of AdamW.
-- @tparam function opfunc x -> loss, gradient
-- @tparam torch.Tensor|{torch.Tensor,...} x changed in place
-- @tparam[opt] table config `optim.adam`'s, with another default: `weightDecay` (1e-2)
-- @tparam[opt=config] table state has `t`, `m`, `v`
-- @return x
-- @treturn {number} the loss before the step
return function(opfunc, x, config, state)
  if masters.wanted(x, config) then return masters.step('optim.adamw', opfunc, x, config, state) end
  config, state = begin.call('optim.adamw', config, state, 't')
  local rate = (config.learningRate or 1e-3) / (1 + state.t * (config.learningRateDecay or 0))
  local loss, gradient = lists.evaluate('optim.adamw', opfunc, x)
  noGrad(decay, x, 1 - rate * (config.weightDecay or 1e-2))
  optim.adam(function() return loss, gradient end, x, plain(config), state)
  return x, { loss }
end
