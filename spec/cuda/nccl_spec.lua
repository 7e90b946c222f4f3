-- Calls of several GPUs by NCCL, in one process: against the same on the CPU. Ranks of several processes: spec/distributed/cuda_spec.lua.
if not require 'spec.support.with_cuda' then return end
local ffi = require 'ffi'
local torch = require 'torch'
local emulated = require 'spec.support.emulated_cuda'
local nccl = require 'torch.cuda.nccl'

local cuda = emulated.cuda
if cuda.deviceCount() < 2 then return end
if nccl.problem() then return print('skipped: ' .. nccl.problem()) end

local long = 40000      -- elements: more than one part

local function onBoth(f)
  local list = {}
  for i = 1, 2 do list[i] = f(i):to('cuda:' .. i) end
  return list
end

describe('NCCL', function()
  local members
  setup(function() members = nccl.joinAll { 1, 2 } end)

  local function run(what)
    local list = {}
    for i = 1, 2 do list[i] = what(i) end
    nccl.run(members, list)
  end

  it('has a version and ids that differ', function()
    assert.is_true(nccl.version() >= 21000)
    assert.equal(128, #nccl.uniqueId())
    assert.not_equal(nccl.uniqueId(), nccl.uniqueId())
  end)

  it('reduces every dtype that it can add', function()
    local expected = { sum = { 5, 9, 4 }, product = { 6, 20, 3 }, min = { 2, 4, 1 }, max = { 3, 5, 3 } }
    for _, info in ipairs(require('libmoontorch').dtypes) do
      local kind = ('torch.%sTensor'):format(info.torch)
      local like = torch.DoubleTensor { { 2, 4, 3 }, { 3, 5, 1 } }:type(kind)
      if info.torch ~= 'Bool' and nccl.reduces(like) then
        for reduction, values in pairs(expected) do
          local xs = onBoth(function(i) return like[i]:clone() end)
          run(function(i) return { kind = 'allReduce', input = xs[i], output = xs[i], reduction = reduction } end)
          for i = 1, 2 do assert.same(values, xs[i]:to('cpu'):double():totable(), info.torch .. ' ' .. reduction) end
        end
      end
    end
    assert.is_false(nccl.reduces(torch.ShortTensor(1)))
    local bits = onBoth(function(i) return torch.BoolTensor { i == 1, true, false } end)
    run(function(i) return { kind = 'allReduce', input = bits[i], output = bits[i] } end)
    assert.same({ 1, 1, 0 }, bits[2]:to('cpu'):double():totable())
  end)

  it('has a mean of floats', function()
    local xs = onBoth(function(i) return torch.FloatTensor(long):fill(3 * i) end)
    run(function(i) return { kind = 'allReduce', input = xs[i], output = xs[i], reduction = 'mean' } end)
    assert.same({ 4.5, 4.5 }, { xs[1]:min(), xs[2]:max() })
  end)

  it('reduces to one rank, and keeps the others', function()
    local xs = onBoth(function(i) return torch.range(1, long):float():mul(i) end)
    run(function(i) return { kind = 'reduce', input = xs[i], output = i == 2 and xs[i] or nil, peer = 1 } end)
    assert.equal(0, (xs[1]:to('cpu') - torch.range(1, long):float()):abs():max())
    assert.equal(0, (xs[2]:to('cpu') - torch.range(1, long):float():mul(3)):abs():max())
  end)

  it('broadcasts, gathers, scatters and exchanges', function()
    local function values(i) return torch.range(1, long):float():add(1000 * i) end
    local xs, all = onBoth(values), onBoth(function() return torch.FloatTensor(2, long) end)
    run(function(i) return { kind = 'allGather', input = xs[i], output = all[i] } end)
    for i = 1, 2 do
      for k = 1, 2 do assert.equal(0, (all[i][k]:to('cpu') - values(k)):abs():max()) end
    end
    local parts = onBoth(function(i) return torch.FloatTensor { { 10 * i + 1, 0 }, { 10 * i + 2, 0 } } end)
    local got = onBoth(function() return torch.FloatTensor(2, 2) end)
    run(function(i) return { kind = 'allToAll', input = parts[i], output = got[i], count = 2 } end)
    assert.same({ { 11, 0 }, { 21, 0 } }, got[1]:to('cpu'):totable())
    assert.same({ { 12, 0 }, { 22, 0 } }, got[2]:to('cpu'):totable())
    local sums = onBoth(function() return torch.FloatTensor(2) end)
    run(function(i) return { kind = 'reduceScatter', input = parts[i], output = sums[i], count = 2 } end)
    assert.same({ 32, 0 }, sums[1]:to('cpu'):totable())
    assert.same({ 34, 0 }, sums[2]:to('cpu'):totable())
    run(function(i) return { kind = 'gather', input = sums[i], output = i == 2 and got[i] or nil, peer = 1 } end)
    assert.same({ { 32, 0 }, { 34, 0 } }, got[2]:to('cpu'):totable())
    run(function(i)
      return { kind = 'scatter', input = i == 2 and got[i] or nil, output = sums[i], count = 2, like = got[1], peer = 1 }
    end)
    assert.same({ 32, 0 }, sums[1]:to('cpu'):totable())
    assert.same({ 34, 0 }, sums[2]:to('cpu'):totable())
    run(function(i) return { kind = 'broadcast', input = xs[i], output = xs[i], peer = 1 } end)
    assert.equal(0, (xs[1]:to('cpu') - values(2)):abs():max())
  end)

  it('passes messages longer than a part in both directions', function()
    local xs = onBoth(function(i) return torch.range(1, long):double():mul(i) end)
    local ys = onBoth(function() return torch.DoubleTensor(long) end)
    nccl.run({ members[1], members[2], members[1], members[2] }, {
      { kind = 'send', input = xs[1], peer = 1 }, { kind = 'send', input = xs[2], peer = 0 },
      { kind = 'receive', output = ys[1], like = ys[1], count = long, peer = 1 },
      { kind = 'receive', output = ys[2], like = ys[2], count = long, peer = 0 } })
    assert.equal(0, (ys[1]:to('cpu') - torch.range(1, long):mul(2)):abs():max())
    assert.equal(0, (ys[2]:to('cpu') - torch.range(1, long)):abs():max())
  end)

  it('runs in the order of the current streams', function()
    local xs = onBoth(function() return torch.zeros(1000):float() end)
    for _ = 1, 3 do
      for i = 1, 2 do xs[i]:add(i) end
      run(function(i) return { kind = 'allReduce', input = xs[i], output = xs[i] } end)
    end
    assert.same({ 21, 21 }, { xs[1][1], xs[2][1000] })      -- x becomes 2 x + 3 three times
  end)

  it('does nothing without elements', function()
    local xs = onBoth(function() return torch.FloatTensor(1) end)
    run(function(i) return { kind = 'allReduce', input = xs[i], output = xs[i], count = 0 } end)
  end)

  it('refuses what it can not do, on the host', function()
    local xs = onBoth(function() return torch.ones(4):float() end)
    local function refused(message, what)
      assert.error_matches(function() run(what) end, message)
    end
    refused('output: an address elsewhere, expected memory in one tensor of the device', function(i)
      return { kind = 'allReduce', input = xs[i], output = xs[3 - i] }
    end)
    refused('input: an address elsewhere', function(i) return { kind = 'allReduce', input = torch.ones(4):float(), output = xs[i] } end)
    refused('input: an address elsewhere', function(i) return { kind = 'allReduce', input = xs[i], output = xs[i], count = 2 ^ 40 } end)
    refused('peer: 2, expected 0..1', function(i) return { kind = 'broadcast', input = xs[i], output = xs[i], peer = 2 } end)
    refused('peer: 0, expected another rank', function(i) return { kind = 'send', input = xs[i], peer = i - 1 } end)
    local shorts = onBoth(function() return torch.ShortTensor(4) end)
    refused('dtype: int16, expected one that NCCL can add', function(i)
      return { kind = 'reduce', input = shorts[i], output = shorts[i], peer = 0 }
    end)
    local longs = onBoth(function() return torch.LongTensor(4) end)
    refused('reduction: mean of integers', function(i)
      return { kind = 'allReduce', input = longs[i], output = longs[i], reduction = 'mean' }
    end)
    assert.error_matches(function() nccl.joinAll { 1, 1 } end, 'device 1 twice, expected different ones')
    assert.error_matches(function() nccl.joinAll { 3 } end, 'expected a number from 1 to 2')
    assert.error_matches(function() nccl.join(1, 2, nccl.uniqueId(), 2) end, 'rank: 2, expected 0..1')
    local C = emulated.api.library()
    for _, name in ipairs {
      'communicator_destroy', 'communicator_abort', 'communicator_check', 'work_begin', 'work_await', 'work_destroy' } do
      assert.not_equal(0, C['mt_cuda_' .. name](987654))
    end
    assert.not_equal(0, C.mt_cuda_unique_id(nil))
    assert.not_equal(0, C.mt_cuda_communicators_create(nil, 2, nil))
    assert.not_equal(0, C.mt_cuda_work_create(members[1].id, 1, nil, ffi.new 'int32_t[1]'))
    local call = nccl.fill(ffi.new 'mt_cuda_collective', { kind = 'allReduce', input = xs[1], output = xs[1] })
    assert.not_equal(0, C.mt_cuda_work_create(members[1].id, 1, call, ffi.new 'int32_t[1]'))      -- a stream of the other device
  end)

  it('begins work later, between the streams', function()
    local xs, works, streams = onBoth(function(i) return torch.zeros(5000):float():add(i) end), {}, {}
    for i = 1, 2 do
      xs[i]:mul(10)
      streams[i] = cuda.Stream(i)
      local call = nccl.fill(ffi.new 'mt_cuda_collective', { kind = 'allReduce', input = xs[i], output = xs[i] })
      works[i] = emulated.api.number('spec', 'work_create', members[i].id, streams[i].id, call)
      assert.error_matches(function() emulated.api.call('spec', 'work_await', works[i]) end, 'has not begun')
    end
    for i = 1, 2 do emulated.api.call('spec', 'work_begin', works[i]) end
    for i = 1, 2 do emulated.api.call('spec', 'work_await', works[i]) end
    for i = 1, 2 do xs[i]:add(1) end
    assert.same({ 31, 31 }, { xs[1][1], xs[2][5000] })
    for i = 1, 2 do
      assert.equal(1, emulated.api.number('spec', 'work_is_done', works[i]))
      emulated.api.call('spec', 'work_destroy', works[i])
    end
  end)
end)

describe('NCCL by emulation', function()
  if not cuda.isEmulated() then return end

  it('finds calls that differ, and can be aborted', function()
    local members = nccl.joinAll { 1, 2 }
    local xs = onBoth(function() return torch.ones(4):float() end)
    nccl.run(members, {
      { kind = 'allReduce', input = xs[1], output = xs[1] }, { kind = 'allReduce', input = xs[2], output = xs[2], count = 3 } })
    assert.error_matches(function() cuda.synchronize(1) end, 'nccl: ')
    pcall(cuda.synchronize, 2)
    assert.error_matches(function()
      nccl.check(members[1])
      nccl.check(members[2])
    end, 'ranks %d and %d differ in their calls')
    local others = nccl.joinAll { 1, 2 }
    nccl.run({ others[1] }, { { kind = 'allReduce', input = xs[1], output = xs[1] } })
    nccl.abort(others[1])
    assert.error_matches(function() cuda.synchronize(1) end, 'nccl: aborted')
    assert.error_matches(function() nccl.check(others[1]) end, 'NCCL: aborted')
  end)

  it('has more devices if asked, and is missing if asked', function()
    assert.equal('4\t10\n', emulated.run([[
      local nccl = require 'torch.cuda.nccl'
      local list, xs = {}, {}
      for i = 1, 4 do list[i] = i end
      local members = nccl.joinAll(list)
      for i = 1, 4 do
        xs[i] = torch.FloatTensor(70000):fill(i):to('cuda:' .. i)
        list[i] = { kind = 'allReduce', input = xs[i], output = xs[i] }
      end
      nccl.run(members, list)
      io.write(torch.cuda.deviceCount(), '\t', xs[3]:max(), '\n')]], 'MOONTORCH_EMULATED_DEVICES=4'))
    assert.matches('NCCL is needed', emulated.run("print(require('torch.cuda.nccl').problem())", 'MOONTORCH_EMULATED_NCCL=0'))
  end)

  it('lets a process end whose work nothing has waited for', function()
    assert.equal('done', emulated.run [[
      local nccl = require 'torch.cuda.nccl'
      local members, list = nccl.joinAll { 1, 2 }, {}
      for i = 1, 2 do
        local x = torch.ones(70000):to('cuda:' .. i)
        list[i] = { kind = 'allReduce', input = x, output = x }
      end
      nccl.run(members, list)
      io.write 'done']])
  end)
end)
