-- PyTorch's functions of the bits of two integers, whose sizes broadcast.
local torch = require 'torch'
local declarePair = require('torch.names.declare_pair').declare

local bits = { floats = false, differentiable = false, samples = '{range(5), range(5)}, {range(5), 3}, {randn(3, 4), positive(3, 4)}' }
declarePair('bitwiseAnd', 'The bits that are set in both integers, elementwise.', torch.bitand, bits)
declarePair('bitwiseOr', 'The bits that are set in one of the integers or both, elementwise.', torch.bitor, bits)
declarePair('bitwiseXor', 'The bits that are set in one of the integers alone, elementwise.', torch.bitxor, bits)
declarePair('bitwiseLeftShift', 'The bits of x shifted by y places towards higher ones, elementwise.', torch.lshift, bits)
declarePair('bitwiseRightShift', [[
The bits of x shifted by y places towards lower ones, elementwise: x / 2^y rounded down, also of negative x, where rshift moves zeros in.]],
  function(x, y)
    local function inverted(z) return torch.add(torch.neg(z), -1) end
    local shifted = torch.rshift(x, y)
    return torch.where(torch.lt(x, 0), inverted(torch.rshift(inverted(x), y)), shifted)
  end, bits)
