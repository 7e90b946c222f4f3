--- Small models and data for the specs of the trainer.
local torch, nn, data = require 'torch', require 'nn', require 'data'
local md5 = require 'md5'

local setups = {}

--- 20 points in the plane and their classes, drawn from a seed.
function setups.set(seed)
  local generator = torch.Generator()
  torch.manualSeed(generator, seed or 5)
  local input = torch.DoubleTensor(20, 2):normal(generator, 0, 1)
  return data.TensorDataset { input = input, target = torch.gt(torch.cmul(input:select(2, 1), input:select(2, 2)), 0):long() + 1 }
end

--- A loader whose order and noise are random.
function setups.loader(options)
  local given = { batchSize = 6, shuffle = true, seed = 3, transform = function(sample)
    return { input = sample.input + torch.DoubleTensor(2):uniform(-0.1, 0.1), target = sample.target }
  end }
  for name, value in pairs(options or {}) do given[name] = value end
  return data.DataLoader(setups.set(), given)
end

--- A network with dropout and batch normalisation.
function setups.net(seed)
  torch.manualSeed(seed or 1)
  return nn.Sequential(nn.Linear(2, 8), nn.BatchNormalization(8), nn.Tanh(), nn.Dropout(0.3), nn.Linear(8, 2), nn.LogSoftMax())
end

--- A value as text, with the keys of tables in order, and the elements of tensors.
function setups.text(value)
  if torch.isTensor(value) then return torch.serialize(value:clone()) end
  if type(value) ~= 'table' then return type(value) == 'number' and ('%.17g'):format(value) or tostring(value) end
  local parts = {}
  for key, part in pairs(value) do parts[#parts + 1] = ('%s = %s'):format(tostring(key), setups.text(part)) end
  table.sort(parts)
  return '{' .. table.concat(parts, ', ') .. '}'
end

--- The digest of a network's parameters and buffers.
function setups.hash(net) return md5.sumhexa(setups.text(net:stateDict())) end

return setups
