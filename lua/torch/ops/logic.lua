-- PyTorch's comparisons and functions of truth values, whose sizes broadcast.
local torch = require 'torch'
local pair = require 'torch.names.declare_pair'

local declarePair, samples = pair.declare, pair.samples
local isTensor = torch.isTensor

-- Comparisons.
for name, own in pairs { greater = 'gt', greaterEqual = 'ge', less = 'lt', lessEqual = 'le', notEqual = 'ne' } do
  declarePair(name, ('%s, elementwise: a ByteTensor of 0 and 1.'):format(own), torch[own], {
    result = 'mask', differentiable = false, samples = samples .. ', {range(5), range(5)}, {full(nan), full(nan)}',
  })
end

-- Truth of elements: other than 0, NaN included.
local function truth(x)
  if isTensor(x) then return torch.ne(x, 0) end
  return x ~= 0 and 1 or 0
end
local logic = {
  logicalAnd = { 'Whether both elements are other than 0', torch.cmul },
  logicalOr = { 'Whether an element is other than 0', torch.cmax },
  logicalXor = { 'Whether exactly one element is other than 0', torch.ne },
}
for name, words in pairs(logic) do
  declarePair(name, words[1] .. ', elementwise: a ByteTensor of 0 and 1.', function(x, y) return words[2](truth(x), truth(y)) end, {
    result = 'mask', differentiable = false,
    samples = '{mask(3, 4), mask(3, 4)}, {randn(3, 4), mask(4)}, {mask(5), 2}, {full(nan), full(0)}, {randn(0), randn(0)}',
  })
end
