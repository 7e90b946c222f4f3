-- Profiles and the search for NaNs on emulated GPUs.
local emulated = require 'spec.support.emulated_cuda'
local torch, autograd, nn = require 'torch', require 'autograd', require 'nn'

local profiler, cuda = torch.profiler, emulated.cuda

describe('a profile of ops on a GPU', function()
  local x = torch.FloatTensor(100, 30):fill(2):to('cuda')

  it('has their work in its times if it waits, and their launches otherwise', function()
    for _, synchronize in ipairs { true, false } do
      local p
      local counts = emulated.counted(function()
        p = profiler.profile(function() return torch.exp(x):add(1) end, { synchronize = synchronize })
      end)
      local rows = p:keyAverages { sortBy = 'name' }
      assert.same({ 'add', 1, 'exp', 1 }, { rows[1].key, rows[1].calls, rows[2].key, rows[2].calls })
      assert.same({ 2, synchronize and 2 or 0 }, { counts.launches, counts.synchronizations })
    end
  end)

  it('knows the memory that a GPU releases later', function()
    local kept
    local rows = profiler.memory(function()
      for _ = 1, 5 do torch.exp(x):add(1) end
      kept = torch.exp(x)
      cuda.synchronize()
    end, { synchronize = false })
    assert.equal(100 * 30 * 4, rows.live)
    assert.equal(rows.live, rows:leaks()[1].live)
    assert.equal(3000, kept:nElement())
  end)

  it('can contain the capture of a CUDA graph', function()
    local graph = cuda.Graph()
    local p = profiler.profile(function() graph:capture(function() return torch.exp(x) end) end, { synchronize = false })
    assert.equal('exp', p:keyAverages()[1].key)
    graph:replay()
    cuda.synchronize()
  end)

  it('finds NaNs', function()
    local net = nn.Sequential():add(nn.MulConstant(-1)):add(nn.Log()):to('cuda')
    local fault = autograd.checkNaN(function() net:forward(x) end, { model = net })
    assert.same({ 'log', 'nan', 'model.2 (nn.Log)' }, { fault.op, fault.kind, fault.module })
  end)
end)
