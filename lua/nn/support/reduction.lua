--- What a loss returns for its elements: their mean, their sum, or themselves.
-- @module nn.support.reduction
local torch = require 'torch'

local reduction = {}

--- The argument that chooses it, for nn.support.signature.
reduction.argument = { 'reduction', 'choice', choices = { 'mean', 'sum', 'none' }, default = 'mean' }

--- @tparam torch.Tensor losses
-- @string kind 'mean', 'sum', 'none', or 'batchmean': the sum divided by the size of dimension 1
-- @tparam[opt] torch.Tensor weight factors of the losses, of their size; the mean is divided by their sum
-- @return a tensor, or a number if `losses` isn't tracked and is reduced
function reduction.of(losses, kind, weight)
  if weight then
    losses = torch.cmul(losses, weight)
    if kind == 'mean' then return torch.sum(losses) / torch.sum(weight) end
  end
  if kind == 'mean' then return torch.mean(losses) end
  if kind == 'sum' then return torch.sum(losses) end
  if kind == 'batchmean' then return torch.sum(losses) / losses:size(1) end
  return losses
end

return reduction
