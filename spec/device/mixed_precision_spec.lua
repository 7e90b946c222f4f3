-- Autocast, loss scaling and master weights on the test device, whose memory the host may not touch.
local torch, optim = require 'torch', require 'optim'

torch.loadDevice(('build/%s/lib/libtest_device.so'):format(os.getenv 'MT_PRESET' or 'release'))

local function step(device)
  torch.manualSeed(1)
  local x = torch.randn(6, 4):float():to(device)
  local w = torch.randn(4, 4):float():to(device):requiresGrad()
  local steps, scaler = optim.SGD({ w }, { learningRate = 0.1 }), optim.GradScaler { scale = 128 }
  local y, loss = torch.autocast('float16', function()
    local y = torch.mm(torch.tanh(torch.mm(x, w)), w)
    return y, torch.sum(torch.pow(y, 2))
  end)
  scaler:scale(loss):backward()
  local gradient = w.grad:clone()
  assert.is_true(scaler:step(steps))
  scaler:update()
  return y, gradient, w:detach(), scaler
end

describe('on a device', function()
  it('a step in mixed precision is that of the CPU', function()
    local expected, got = { step 'cpu' }, { step 'test' }
    assert.equal('torch.HalfTensor', got[1]:type())
    for i = 1, 3 do
      assert.equal('test', got[i]:device())
      local here = got[i]:to 'cpu'
      assert.equal(expected[i]:type(), here:type())
      assert.is_true(torch.equal(expected[i]:float(), here:float()))
    end
  end)

  it('a gradient that is not finite leaves the step out', function()
    local w = torch.ones(3, 'float32 on test'):requiresGrad()
    local other = torch.ones(3, 'float32'):requiresGrad()
    local steps, scaler = optim.SGD({ other, w }, { learningRate = 0.1 }), optim.GradScaler()
    w.grad, other.grad = torch.ones(3, 'float32 on test'):mul(math.huge), torch.ones(3, 'float32')
    assert.is_false(scaler:step(steps))
    scaler:update()
    assert.equal(32768, scaler:getScale())
    assert.same({ 1, 1, 1 }, w:detach():to('cpu'):totable())
  end)

  it('parameters of 16 bits have their masters there', function()
    local w, config = torch.ones(3, 'bfloat16 on test'), { learningRate = 1e-3, masterWeights = true }
    for _ = 1, 100 do optim.sgd(function() return 0, torch.ones(3, 'bfloat16 on test') end, w, config) end
    assert.equal('test', config.masters:device())
    assert.near(0.9, w:to('cpu')[1], 2 ^ -8)
  end)
end)
