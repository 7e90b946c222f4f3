-- Derivatives of sums and maxima of bags of rows.
local torch = require 'torch'
local rules, onDeviceOf = require 'autograd.rules', require 'autograd.on_device_of'

-- Returns the bag of each position of the index; 0 for positions before the first offset.
local function bagsOf(index, offsets)
  local count = index:nElement()
  if offsets then return torch.searchsorted(offsets, onDeviceOf(torch.range(1, count):_as 'Long', index), true):csub(1) end
  local bags = onDeviceOf(torch.range(1, index:size(1)):_as 'Long', index)
  return torch.reshape(torch.expand(bags:view(-1, 1), index:size(1), index:size(2)), count)
end

-- Returns the product of each position's row with the gradient of its bag, in the size of the factors.
local function ofFactors(g, weight, index, offsets, padding, size)
  if index:nElement() == 0 then return torch.reshape(torch.mul(torch.sum(weight), 0):expand(0), size) end
  local flat, bags = torch.reshape(index, index:nElement()), bagsOf(index, offsets)
  local products = torch.sum(torch.cmul(torch.index(weight, 1, flat), torch.index(g, 1, torch.cmax(bags, 1))), 2)
  local counts = torch.cmul(torch.gt(bags, 0), torch.ne(flat, padding))
  return torch.reshape(torch.cmul(torch.reshape(products, flat:size()), counts:typeAs(products)), size)
end

rules.bagSum = {
  'bagSum_grad(g, size(weight), index, average, padding, offsets, factors)', nil, nil, nil, nil,
  rules.saving('weight, index, offsets, padding, size(factors)', ofFactors),
}
rules.bagSum_grad = {
  'bagSum(h, index, average, padding, offsets, factors)', nil, nil, nil, nil, nil,
  rules.saving('g, index, offsets, padding, size(factors)', function(h, g, ...) return ofFactors(g, h, ...) end),
}

rules.bagMax = { rules.saving('size(weight), result[2]', function(g, size, rows)
  if not g[1] then return nil end
  if size[1] == 0 then return torch.mul(torch.expand(torch.sum(g[1], 1), 0, size[2]), 0) end
  local found = torch.gt(rows, 0):typeAs(g[1])
  return torch.gather_grad(torch.cmul(g[1], found), size, 1, torch.cmax(rows, 1))
end) }
