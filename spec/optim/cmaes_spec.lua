-- optim.cmaes finds known minima by values alone.
local torch = require 'torch'
local optim = require 'optim'

local function rosenbrock(x) return (1 - x[1]) ^ 2 + 100 * (x[2] - x[1] ^ 2) ^ 2 end
local function sphere(x) return torch.sum(torch.cmul(torch.add(x, -1), torch.add(x, -1))) end

describe('optim.cmaes', function()
  it('finds a minimum', function()
    local x = torch.DoubleTensor { 4, -3, 2 }
    local best, losses, evaluations = optim.cmaes(rosenbrock, torch.DoubleTensor { -1.2, 1 }, { sigma = 0.5, verb_disp = 0 })
    assert.is_true(math.abs(best[1] - 1) < 1e-4 and math.abs(best[2] - 1) < 1e-4)
    assert.is_true(losses[#losses] < 1e-8 and evaluations <= 4000)
    best = optim.cmaes(sphere, x:float(), { sigma = 1, verb_disp = 0, ftarget = 1e-6 })
    assert.is_true(sphere(best) <= 1e-5)
    assert.error_matches(function() optim.cmaes(sphere, x:int(), { sigma = 1, verb_disp = 0 }) end, 'Unsupported Tensor')
  end)
end)
