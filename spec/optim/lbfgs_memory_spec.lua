-- Which steps L-BFGS remembers. Truth: differences of the points at which it asked for the gradient, and a concave function, on which it
-- may remember none.
local torch, optim = require 'torch', require 'optim'

describe('the memory of optim.lbfgs', function()
  it('keeps the newest pairs', function()
    local scale, points = torch.DoubleTensor { 1, 2, 3, 4, 5 }, {}
    local state = { nCorrection = 2, maxIter = 6, maxEval = 100, learningRate = 0.3 }
    optim.lbfgs(function(x)
      points[#points + 1] = x:clone()
      return torch.cmul(scale, torch.pow(x, 2)):sum() / 2, torch.cmul(scale, x)
    end, torch.DoubleTensor { 1, -2, 0.5, 3, -1 }, state)
    assert.equal(6, #points)
    assert.equal(2, #state.old_stps)
    assert.equal(2, #state.old_dirs)
    for i = 1, 2 do
      local step = points[i + 4] - points[i + 3]
      assert.is_true((state.old_stps[i] - step):abs():max() < 1e-12)
      assert.is_true((state.old_dirs[i] - torch.cmul(scale, step)):abs():max() < 1e-12)
    end
  end)

  it('takes no pair along which the function does not curve upwards', function()
    local x, state = torch.DoubleTensor { 1 }, { maxIter = 3 }
    optim.lbfgs(function(at) return -at[1] ^ 2 / 2, -at end, x, state)
    assert.same({ 8 }, x:totable()) -- steps along the negative gradient: 1, 2, 4, 8
    assert.equal(0, #state.old_stps)
    assert.equal(1, state.Hdiag)
  end)
end)
