local emulated = require 'spec.support.emulated_cuda'
local torch = require 'torch'

local cuda = emulated.cuda
local words = 'index: index: index out of range: position 5, expected 1..3'

describe('a position that is out of range on a CUDA device', function()
  local x, good, bad
  before_each(function()
    emulated.clean()
    x = torch.ones(3, 4):to('cuda:1')
    good, bad = torch.LongTensor { 1, 3 }:to('cuda:1'), torch.LongTensor { 1, 5, 9 }:to('cuda:1')
  end)

  it('is not waited for', function()
    local y = x:index(1, good)                                 -- the first check on a device allocates memory for the results of checks
    local counts = emulated.counted(function() for _ = 1, 10 do y = x:index(1, good) end end)
    assert.equal(0, counts.synchronizations)
    assert.equal(8, y:to('cpu'):sum())
  end)

  it('is an error of the next call that waits, with the words of the op', function()
    local y = x:index(1, bad)
    assert.error_matches(function() return y:to 'cpu' end, words .. ' (found later', 1, true)
    assert.equal(12, x:to('cpu'):sum())                        -- reported once, and the device continues
    x:index(1, bad)
    assert.error_matches(function() cuda.synchronize(1) end, words, 1, true)
    cuda.synchronize(1)
  end)

  it('is told of the first call and the first element', function()
    x:index(2, bad)
    x:index(1, torch.LongTensor { 7 }:to('cuda:1'))
    assert.error_matches(function() cuda.synchronize(1) end, 'position 5, expected 1..4', 1, true)
  end)

  it('is found among many', function()
    local many = torch.LongTensor(100000):fill(1)
    many[77777], many[88888] = 4, 5
    x:index(1, many:to('cuda:1'))
    assert.error_matches(function() cuda.synchronize(1) end, 'position 4, expected 1..3', 1, true)
    many:fill(3)
    x:index(1, many:to('cuda:1'))
    cuda.synchronize(1)
  end)

  it('is found on every stream', function()
    local side = cuda.Stream(1)
    cuda.synchronize(1)
    side:with(function() x:index(1, bad) end)
    assert.error_matches(function() side:synchronize() end, words, 1, true)
  end)

  it('is found in replays of a graph', function()
    local api = emulated.api
    local index = good:clone()
    local id = api.number('spec', 'graph_begin', 0)
    x:index(1, index)
    api.call('spec', 'graph_end', id)
    api.call('spec', 'graph_replay', id)
    cuda.synchronize(1)
    index:copy(bad:narrow(1, 1, 2))
    api.call('spec', 'graph_replay', id)
    assert.error_matches(function() cuda.synchronize(1) end, words, 1, true)
    api.call('spec', 'graph_destroy', id)
  end)

  it('is an error at its own line with MOONTORCH_CUDA_SYNC, or by its earlier name', function()
    local program = [[
      require 'torch.cuda'.load()
      local x, index = torch.ones(3, 4):to('cuda:1'), torch.LongTensor { 1, 5 }:to('cuda:1')
      print('before')
      x:index(1, index)
      print('after')]]
    for _, setting in ipairs { 'MOONTORCH_CUDA_SYNC=1', 'MT_CUDA_SYNC=1', 'MT_CUDA_SYNC=0 MOONTORCH_CUDA_SYNC=1' } do
      local text = emulated.run(program, setting)
      assert.matches('before', text, 1, true)
      assert.matches(':5: ' .. words, text, 1, true)
      assert.is_nil(text:find('after', 1, true), setting)
      assert.is_nil(text:find('found later', 1, true), setting)
    end
  end)
end)

describe('a mask with other numbers than 0 and 1', function()
  it('is an error of the next call that waits', function()
    emulated.clean()
    local x = torch.ones(3):to('cuda:1')
    local counts = emulated.counted(function() x:maskedFill(torch.ByteTensor { 0, 2, 1 }:to('cuda:1'), 5) end)
    assert.equal(0, counts.synchronizations)
    local late = 'maskedFill: mask: Mask tensor can take 0 and 1 values only (found later'
    assert.error_matches(function() cuda.synchronize() end, late, 1, true)
  end)
end)
