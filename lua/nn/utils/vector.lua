--- Parameters as one vector: a part of `nn.utils`.
-- @module nn.utils.vector
local torch, check = require 'torch', require 'torch.check'

local vector = {}

local function listOf(where, parameters)
  check.table(where, 'parameters', parameters)
  for i, parameter in ipairs(parameters) do check.tensor(where, 'parameters: number ' .. i, parameter) end
  if #parameters == 0 then check.raise(where .. ': parameters: an empty list, expected tensors') end
  return parameters
end

--- Returns a copy of parameters as one vector, which the tape records.
-- @tparam {torch.Tensor,...} parameters
-- @treturn torch.Tensor 1 dimension
-- @usage local v = nn.utils.parametersToVector(net:parameters())
function vector.parametersToVector(parameters)
  local flat = {}
  for i, parameter in ipairs(listOf('nn.utils.parametersToVector', parameters)) do
    flat[i] = torch.reshape(parameter, torch.LongStorage { parameter:nElement() })
  end
  return torch.cat(flat, 1)
end

--- Copies a vector into parameters, which keep their memory; nothing is recorded.
-- @tparam torch.Tensor v as many elements as the parameters have
-- @tparam {torch.Tensor,...} parameters
-- @raise if the numbers of elements differ; then nothing changes
function vector.vectorToParameters(v, parameters)
  local where, count, first = 'nn.utils.vectorToParameters', 0, 1
  check.tensor(where, 'vector', v)
  for _, parameter in ipairs(listOf(where, parameters)) do count = count + parameter:nElement() end
  if v:dim() ~= 1 or v:nElement() ~= count then
    check.raise(('%s: vector: a tensor of size %s, expected [%d]'):format(where, require('torch.check.message').sizes(v), count), 'shape')
  end
  v = v:detach():clone()
  torch.noGrad(function()
    for _, parameter in ipairs(parameters) do
      if parameter:nElement() > 0 then parameter:copy(v:narrow(1, first, parameter:nElement())) end
      first = first + parameter:nElement()
    end
  end)
end

return vector
