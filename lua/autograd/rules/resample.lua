-- Derivatives of resampling, which is linear.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

rules.resample = { saving('size(x), filter, sampling', function(g, size, filter, sampling)
  return torch.resample_grad(g, size[#size - 1], size[#size], filter, sampling)
end) }
rules.resample_grad = { saving('size(g), filter, sampling', function(h, size, filter, sampling)
  return torch.resample(h, size[#size - 1], size[#size], filter, sampling)
end) }
