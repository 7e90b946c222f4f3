--- The checker: it accepts correct derivatives, and detects errors in the first and second derivatives.
local torch = require 'torch'
local autograd = require 'autograd'

local function values(n)
  local t = {}
  for i = 1, n do t[i] = 0.3 + math.sin(i) end
  return torch.DoubleTensor(t)
end

-- exp with a derivative of our choice
local function claimed(derivative)
  return autograd.Function {
    name = 'claimed',
    forward = function(ctx, x)
      ctx:save(x)
      return torch.exp(x)
    end,
    backward = function(ctx, g) return derivative(g, ctx:saved()) end,
  }
end

describe('gradcheck', function()
  local right = claimed(function(g, x) return torch.cmul(g, torch.exp(x)) end)
  local off = claimed(function(g, x) return torch.mul(torch.cmul(g, torch.exp(x)), 1.0001) end)
  local blind = claimed(function(g, x) return torch.cmul(g, torch.exp(x:detach())) end)

  for _, size in ipairs { 4, 40 } do
    it('passes a right derivative of ' .. size .. ' elements', function() assert(autograd.gradcheck(right, { values(size) })) end)

    it('finds a derivative that is off by 1e-4, of ' .. size .. ' elements', function()
      local ok, message = autograd.gradcheck(off, { values(size) })
      assert.is_false(ok)
      assert.matches('^first order: .* the tape has', message)
    end)

    it('finds a gradient that cannot be differentiated again, of ' .. size .. ' elements', function()
      local ok, message = autograd.gradcheck(blind, { values(size) })
      assert.is_false(ok)
      assert.matches('^second order:', message)
      assert(autograd.gradcheck(blind, { values(size) }, { order = 1 }))
    end)
  end
end)
