--- Categorical distribution over one-hot vectors, whose samples have the gradient of the probabilities: Bengio, Leonard & Courville (2013),
-- "Estimating or Propagating Gradients Through Stochastic Neurons".
-- @classmod distributions.OneHotCategoricalStraightThrough
local torch = require 'torch'
require 'distributions.OneHotCategorical'

local name = 'distributions.OneHotCategoricalStraightThrough'
local OneHotCategoricalStraightThrough, parent = torch.class(name, 'distributions.OneHotCategorical')
OneHotCategoricalStraightThrough.hasRsample = true

--- @tparam[opt] torch.Tensor probs probabilities; or a table of options
-- @tparam[opt] torch.Tensor logits logarithms of the probabilities, up to a constant, instead of probs
-- @tparam[opt] table options `probs`, `logits`, `validateArgs`
function OneHotCategoricalStraightThrough:__init(probs, logits, options) parent.__init(self, probs, logits, options) end

function OneHotCategoricalStraightThrough:_draw(sizes)
  local x = parent._draw(self, sizes)
  return x + (self.probs - self.probs:detach())
end

return OneHotCategoricalStraightThrough
