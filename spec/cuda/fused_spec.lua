-- Fused steps on a GPU: one launch, with the bits of the steps one by one.
local emulated = require 'spec.support.emulated_cuda'
local torch = require 'torch'
local fused = require 'spec.support.fused_on_device'

local function there(x) return x:to 'cuda:1' end

local text = [[
graph(x: tensor, y: tensor) {
  fused {
    a = tanh(add(x, 0.5, y))
    b = gt(a, 0)
  }
  return a, b
}]]

describe('fused steps on a GPU', function()
  before_each(emulated.clean)

  for layout in pairs(fused.layouts) do
    fused.each(function(dtype, check)
      it(('have the bits of the steps one by one: %s tensors, %s'):format(dtype, layout), function() check(layout, 'cuda:1') end)
    end)
  end

  it('are one launch', function()
    local g = torch.graph.parse(text)
    local x, y = there(torch.randn(10, 7)), there(torch.randn(10, 7))
    g:run(x, y)
    local counts = emulated.counted(function() g:run(x, y) end)
    assert.same({ 1, 1, 0, 0 }, { counts.launches, counts.fusedLaunches, counts.copiesToHost, counts.refusedKernels })
    local a, b = g:run(x, y)
    assert.is_true(fused.sameBits(torch.tanh(torch.add(x, 0.5, y)), a))
    assert.is_true(fused.sameBits(torch.gt(torch.tanh(torch.add(x, 0.5, y)), 0), b))
  end)

  it('of a captured function, on the tape, have its gradients', function()
    local f = torch.fuse(function(x, w) return torch.sum(torch.tanh(torch.cmul(torch.add(x, 1), w)), 2) end)
    local x, w = there(torch.randn(6, 5)), there(torch.randn(6, 5)):requiresGrad()
    for _ = 1, 3 do
      w:zeroGrad()
      torch.sum(f(x, w)):backward()
      local t = torch.tanh(torch.cmul(torch.add(x, 1), w:detach()))
      local expected = torch.cmul(torch.csub(torch.mul(torch.cmul(t, t), -1), -1), torch.add(x, 1))
      assert.is_true(torch.max(torch.abs(torch.csub(w.grad, expected))) < 1e-12)
    end
    f(x, w:detach())      -- captures
    assert.equal(1, emulated.counted(function() f(x, w:detach()) end).fusedLaunches)
  end)

  it('before a reduction run as one launch, and the reduction as its own', function()
    local g = torch.graph.capture(function(x) return torch.sum(torch.exp(torch.mul(x, 0.5)), 2) end, { there(torch.randn(4, 5)) })
    local x = there(torch.randn(4, 5))
    local counts = emulated.counted(function() g:run(x) end)
    assert.equal(1, counts.fusedLaunches)
    assert.is_true(fused.sameBits(torch.sum(torch.exp(torch.mul(x, 0.5)), 2), (g:run(x))))
  end)

  it('on a stream run in its order', function()
    local g = torch.graph.parse(text)
    local x, y = there(torch.randn(1000)), there(torch.randn(1000))
    local expected = torch.tanh(torch.add(torch.mul(x, 3), 0.5, y)):to 'cpu'
    local stream = emulated.cuda.Stream(1)
    local a
    emulated.cuda.synchronize()
    emulated.cuda.withStream(stream, function()
      x:mul(3)
      a = g:run(x, y)
      x:zero()
    end)
    stream:synchronize()
    assert.is_true(fused.sameBits(expected, a:to 'cpu'))
  end)

  it('are part of a CUDA graph', function()
    local api = emulated.api
    local g = torch.graph.parse(text)
    local x, y = there(torch.randn(100)), there(torch.randn(100))
    local id = api.number('spec', 'graph_begin', 0)
    local a = g:run(x, y)
    api.call('spec', 'graph_end', id)
    for i = 1, 3 do
      x:copy(there(torch.randn(100)))
      api.call('spec', 'graph_replay', id)
      assert.is_true(fused.sameBits(torch.tanh(torch.add(x, 0.5, y)), a), i)
    end
    api.call('spec', 'graph_destroy', id)
  end)

  it('write to an input in place', function()
    local g = torch.graph.capture(function(x) x:copy(torch.exp(torch.mul(x, 0.5))) end, { there(torch.zeros(40)) })
    local x = there(torch.randn(40))
    local expected = torch.exp(torch.mul(x, 0.5))
    g:run(x)
    assert.is_true(fused.sameBits(expected, x))
  end)

  it('of tensors on several devices, or of no elements, are those of the ops', function()
    local g = torch.graph.parse(text)
    assert.error_matches(function() g:run(torch.randn(3), there(torch.randn(3))) end, 'a tensor on')
    assert.equal(0, (g:run(there(torch.randn(0)), there(torch.randn(0)))):nElement())
  end)

  if os.getenv 'MT_SPEC_KERNELS' == 'saved' then      -- bin/gpu-check
    it('are all read from files', function()
      local all = emulated.cuda.counters()
      assert.is_true(all.readKernels > 0)
      assert.equal(0, all.compiledKernels)
    end)
  end
end)
