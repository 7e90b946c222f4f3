-- Profiles and the search for NaNs on another device: the test device, whose memory the host can't read.
local torch, autograd, nn = require 'torch', require 'autograd', require 'nn'
torch.loadDevice(('build/%s/lib/libtest_device.so'):format(os.getenv 'MT_PRESET' or 'release'))

describe('on another device', function()
  local x = torch.DoubleTensor({ 4, 9, 0 }):to('test')

  it('ops and memory are measured', function()
    for _, synchronize in ipairs { true, false } do
      local p = torch.profiler.profile(function() return torch.exp(x):add(1) end, { memory = true, synchronize = synchronize })
      local rows = p:keyAverages { sortBy = 'name' }
      assert.same({ 'add', 1, 0 }, { rows[1].key, rows[1].calls, rows[1].bytes })
      assert.same({ 'exp', 1, 24 }, { rows[2].key, rows[2].calls, rows[2].bytes })
      assert.equal(24, p:memoryBy().peak)
    end
    local kept
    assert.equal(24, torch.profiler.memory(function() kept = torch.exp(torch.exp(x)) end):leaks().live)
    assert.equal(3, kept:nElement())
  end)

  it('NaNs and infinities are found, in modules, too', function()
    assert.same({ 'log', 'inf' }, { autograd.checkNaN(torch.log, nil, x).op, autograd.checkNaN(torch.log, nil, x).kind })
    assert.is_nil(autograd.checkNaN(torch.sqrt, nil, x))
    local net = nn.Sequential():add(nn.MulConstant(-1)):add(nn.Sqrt()):to('test')
    local fault = autograd.checkNaN(function() net:forward(x) end, { model = net })
    assert.same({ 'sqrt', 'nan', 'model.2 (nn.Sqrt)' }, { fault.op, fault.kind, fault.module })
  end)
end)
