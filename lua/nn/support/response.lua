--- Normalisation of responses across channels, in dimension 2.
-- @module nn.support.response
local torch, border = require 'torch', require 'nn.support.border'
local refuse = require 'torch.check.refuse'

--- Returns x / (k + alpha / size * sum of x^2 over the channels around)^beta.
-- @string where prefix of messages
-- @tparam torch.Tensor x (N, C, …)
-- @int size
-- @int before how many channels before, and
-- @int after how many after each one the sum includes
-- @number alpha
-- @number beta
-- @number k
-- @treturn torch.Tensor
return function(where, x, size, before, after, alpha, beta, k)
  if x:dim() < 3 then refuse.shape(('%s: input: %d dimensions, expected 3 or more'):format(where, x:dim())) end
  if x:nElement() == 0 then return torch.clone(x) end
  local batch, channels = x:size(1), x:size(2)
  local rows = torch.reshape(torch.cmul(x, x), { batch, 1, channels, x:nElement() / (batch * channels) })
  local count = before + after + 1
  local means = torch.avgPool2d(border.zero(rows, 3, before, after), count, 1, 1, 1)
  local scale = torch.add(torch.mul(torch.reshape(means, x:size()), alpha * count / size), k)
  return torch.cmul(x, torch.pow(scale, -beta))
end
