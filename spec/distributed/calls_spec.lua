-- torch.distributed: each call with real processes, its errors, and time limits.
local torch = require 'torch'
local ranks = require 'spec.support.ranks'
local program = require 'spec.support.program'

local function same(n, expected, code)
  local outputs = ranks.run(n, code)
  for rank = 1, n do assert.equal(type(expected) == 'table' and expected[rank] or expected, outputs[rank]) end
end

describe('torch.distributed', function()
  it('is a package, a module and a field', function()
    assert.equal(require 'distributed', torch.distributed)
    assert.equal(torch.distributed, require 'torch.distributed')
  end)

  it('needs init before a call', function()
    local output = program.evaluate "print((select(2, pcall(require('torch.distributed').barrier))))"
    assert.truthy(output:find('torch.distributed.barrier: not started, expected a call of torch.distributed.init before', 1, true))
  end)

  it('names the package of MPI if that is missing', function()
    local output = program.evaluate [[
      require('torch.library').open = function(_, missing) error(missing, 0) end
      print((select(2, pcall(require('torch.distributed').init))))
    ]]
    assert.truthy(output:find('libmpi.so.40 was not found', 1, true), output)
    assert.truthy(output:find('apt-get install libopenmpi40 or libopenmpi3t64 or libopenmpi3', 1, true), output)
    assert.truthy(output:find('openmpi-bin', 1, true), output)
  end)

  it('has one rank without a launcher', function()
    ranks.need()
    assert.equal('0\t1\t3\n', program.evaluate [[
      local dist = require('torch.distributed').init()
      io.write(dist.rank(), '\t', dist.worldSize(), '\t', dist.allReduce(torch.ones(1):mul(3))[1], '\n')
    ]])
  end)

  it('sends, collects and exchanges tensors', function()
    same(3, { 'ok', 'ok', 'ok' }, [[
      local x = torch.DoubleTensor(4, 3):fill(rank):t()      -- not contiguous
      assert(dist.broadcast(x, 1) == x and x:sum() == 12)
      local all = dist.allGather(torch.IntTensor { rank, rank * 2 })
      local some = dist.gather(torch.IntTensor { rank, rank * 2 }, 1)
      assert((some == nil) == (rank ~= 1))
      local list = {}
      for i = 1, n do
        assert(all[i][1] == i - 1 and all[i][2] == 2 * (i - 1))
        assert(not some or some[i][2] == 2 * (i - 1))
        list[i] = torch.LongTensor(2, 2):fill(10 * rank + i - 1)
      end
      assert(dist.scatter(torch.LongTensor(2, 2), list, 1)[1][1] == 10 + rank)
      for i, y in ipairs(dist.allToAll(list)) do assert(y[2][2] == 10 * (i - 1) + rank) end
      assert(dist.reduceScatter(list, 'max')[1][2] == 10 * (n - 1) + rank)
      local to, from = (rank + 1) % n, (rank - 1) % n
      local sent = dist.send(torch.FloatTensor { rank }, to, { async = true })
      assert(dist.receive(torch.FloatTensor(1), from)[1] == from)
      sent:wait()
      io.write 'ok'
    ]])
  end)

  it('moves every dtype in every layout, with the ranks\' calls and by transfers of MPI', function()
    same(2, 'ok', [[
      for _, info in ipairs(require('libmoontorch').dtypes) do
        for _, rows in ipairs { 2, 3000 } do
          local function tensor(value)      -- not contiguous
            return torch[info.torch .. 'Tensor'](7, rows):copy(torch.DoubleTensor(7, rows):fill(value)):t()
          end
          local function has(x, value) return torch.equal(x, tensor(value)) or error(info.torch .. ' ' .. rows) end
          local x, other = tensor(rank), 1 - rank
          has(dist.broadcast(tensor(rank), 1), 1)
          for i, y in ipairs(dist.allGather(x)) do has(y, i - 1) end
          for i, y in ipairs(dist.gather(x, 1) or {}) do has(y, i - 1) end
          has(dist.scatter(x:clone(), rank == 0 and { tensor(0), tensor(1) } or nil, 0), rank)
          for i, y in ipairs(dist.allToAll { tensor(rank), tensor(rank) }) do has(y, i - 1) end
          has(dist.allReduce(tensor(rank)), 1)
          local sent = dist.send(x, other, { async = true })
          has(dist.receive(tensor(rank), other), other)
          sent:wait()
        end
      end
      io.write 'ok'
    ]])
  end)

  it('reduces short and long vectors in the order of the ranks', function()
    -- 2^24 + 1 + 1 in float32: from left to right both ones are lost, from right to left none
    same(3, '16777216 16777216 16777216', [[
      local mine = ({ 2 ^ 24, 1, 1 })[rank + 1]
      local short = dist.allReduce(torch.FloatTensor(5):fill(mine))
      local long = dist.allReduce(torch.FloatTensor(1000003):fill(mine))
      assert(short:min() == short:max() and long:min() == long:max())
      local other = dist.reduce(torch.FloatTensor(1000003):fill(mine), 2)
      assert(other:min() == (rank == 2 and 2 ^ 24 or mine))
      io.write(('%d %d %d'):format(short[1], long[1], dist.reduceScatter { torch.FloatTensor(4):fill(mine), torch.FloatTensor(4):fill(mine),
        torch.FloatTensor(4):fill(mine) } [1]))
    ]])
  end)

  it('reduces vectors of more blocks than are on their way at the same time', function()
    same(3, 'ok', [[
      local pattern = torch.range(1, 6000003):fmod(1009):int()
      local function same(x, factor, what) assert(torch.equal(x, torch.mul(pattern, factor)), what) end
      same(dist.allReduce(torch.mul(pattern, 4 ^ rank)), 21, 'allReduce')
      same(dist.reduce(torch.mul(pattern, 4 ^ rank), 1), rank == 1 and 21 or 4 ^ rank, 'reduce')
      local list = {}
      for i = 1, n do list[i] = torch.mul(pattern, i * 4 ^ rank) end
      same(dist.reduceScatter(list), (rank + 1) * 21, 'reduceScatter')
      io.write 'ok'
    ]])
  end)

  it('adds 16-bit floats in float32', function()
    -- In binary16, 2048 + 1 is 2048; in bfloat16, 256 + 1 is 256.
    same(3, '2050 258', [[
      local half = dist.allReduce(torch.HalfTensor { rank == 0 and 2048 or 1 })
      local bfloat = dist.allReduce(torch.BFloat16Tensor { rank == 0 and 256 or 1 })
      io.write(half:double()[1], ' ', bfloat:double()[1])
    ]])
  end)

  it('reduces every dtype', function()
    same(2, 'ok', [[
      for _, info in ipairs(require('libmoontorch').dtypes) do
        local x = torch.DoubleTensor { 1, 0, rank + 1 }:type(('torch.%sTensor'):format(info.torch))
        local function reduced(how)
          local y = torch.real(dist.allReduce(x:clone(), how)):double()
          return y[1] .. ' ' .. y[2] .. ' ' .. y[3]
        end
        local isBool = info.torch == 'Bool'
        assert(reduced 'sum' == (isBool and '1 0 1' or '2 0 3'), info.torch)
        assert(reduced 'product' == (isBool and '1 0 1' or '1 0 2'), info.torch)
        if x:isComplex() then
          local z = torch.complex(rank, 1 - rank) * torch.ones(1):type(x:type())
          assert(dist.allReduce(z:clone())[1] == 1 + 1i and dist.allReduce(z, 'product')[1] == 1i)
          assert(select(2, pcall(dist.allReduce, x, 'max')):find "'max' of a Complex.*, expected one of real numbers")
        else
          assert(reduced 'max' == (isBool and '1 0 1' or '1 0 2'), info.torch)
          assert(reduced 'min' == '1 0 1', info.torch)
        end
        local done, problem = pcall(dist.allReduce, x:clone(), 'mean')
        if x:isFloatingPoint() or x:isComplex() then assert(done) else assert(problem:find "'mean' of a") end
      end
      local nan = dist.allReduce(torch.DoubleTensor { rank == 0 and 0 / 0 or 1, rank == 1 and 0 / 0 or 1 }, 'min')
      assert(nan[1] ~= nan[1] and nan[2] ~= nan[2])
      assert(dist.allReduce(torch.IntTensor { 2 ^ 31 - 1 })[1] == -2)      -- wraps around, as sums of integers do
      io.write 'ok'
    ]])
  end)

  it('runs calls while the program computes, and keeps their tensors', function()
    same(2, '3000 1000', [[
      local handles = {}
      for i = 1, 20 do handles[i] = dist.allReduce(torch.FloatTensor(100000):fill(rank + 1), 'sum', { async = true }) end
      collectgarbage()
      collectgarbage()
      local x = torch.FloatTensor(1000):fill(1)
      local other = dist.barrier { async = true }
      other:wait()
      assert(other:isCompleted() and other:wait() == nil)
      local sum = 0
      for i = 1, 20 do sum = sum + handles[i]:wait():mean() / 20 end
      io.write(sum * 1000, ' ', x:sum())
    ]])
  end)

  it('has groups, whose ranks are those of the world', function()
    same(3, { '0 2 13', 'nil 2 ', '1 2 13' }, [[
      local ends = dist.newGroup { 0, 2 }
      local sum = ''
      if ends:rank() then
        local x = dist.broadcast(torch.IntTensor { rank == 2 and 12 or 1 }, 2, { group = ends })
        sum = dist.allReduce(torch.IntTensor { rank == 0 and 1 or x[1] }, 'sum', { group = ends })[1]
      end
      io.write(tostring(dist.rank(ends)), ' ', dist.worldSize(ends), ' ', sum)
      if rank == 1 then
        assert((select(2, pcall(dist.barrier, { group = ends }))):find 'group: ranks 0, 2, expected one with this process, rank 1')
        assert((select(2, pcall(dist.broadcast, torch.ones(1), 5))):find 'source: 5, expected a rank of the group: 0, 1, 2')
      end
    ]])
  end)

  it('refuses calls that differ, on all ranks, with both lines, and goes on', function()
    local outputs = ranks.run(2, [[
      local function report(_, problem) io.write(problem, '\n') end
      report(pcall(dist.allReduce, torch.ones(3 + rank)))
      if rank == 0 then report(pcall(dist.barrier)) else report(pcall(dist.broadcast, torch.ones(3))) end
      if rank == 0 then report(pcall(dist.send, torch.ones(3), 1)) else report(pcall(dist.receive, torch.FloatTensor(3), 0)) end
      io.write(dist.allReduce(torch.ones(1))[1])
    ]])
    for i, words in ipairs {
      { 'rank 0 calls allReduce %(sum%) of a DoubleTensor of 3 at F:6, rank 1 allReduce %(sum%) of a DoubleTensor of 4 at F:6',
        'rank 0 calls barrier at F:7, rank 1 broadcast of a DoubleTensor of 3 from rank 0 at F:7, expected the same call',
        'send of a DoubleTensor of 3 to rank 1 at F:8 was refused: rank 1 expects receive of a FloatTensor of 3 from rank 0 at F:8', '2$' },
      { 'rank 1 calls allReduce %(sum%) of a DoubleTensor of 4 at F:6, rank 0 allReduce %(sum%) of a DoubleTensor of 3 at F:6',
        'rank 1 calls broadcast of a DoubleTensor of 3 from rank 0 at F:7, rank 0 barrier at F:7',
        'receive of a FloatTensor of 3 from rank 0 at F:8 got another message: send of a DoubleTensor of 3 to rank 1 at F:8', '2$' },
    } do
      for _, text in ipairs(words) do assert.truthy(outputs[i]:gsub('[^ ]-%.lua', 'F'):find(text), text .. ' in ' .. outputs[i]) end
    end
  end)

  it('names the rank that a call waited for in vain', function()
    local outputs, status = ranks.try(2, [[
      dist.barrier()
      if rank == 0 then
        io.write((select(2, pcall(dist.allReduce, torch.ones(1), 'sum', { timeout = 0.2 }))), '\n')
        io.write((select(2, pcall(dist.barrier))))
        io.flush()
        os.exit(3)
      end
      dist.receive(torch.ones(1), 0)
    ]])
    assert.truthy(outputs[1]:find('torch.distributed.allReduce: rank 0 waited 0.2 s for rank 1, whose last call was barrier at', 1, true))
    assert.truthy(outputs[1]:find('torch.distributed.barrier: an earlier call failed: rank 0 waited', 1, true))
    assert.are_not.equal(0, status)
  end)

  it('checks arguments', function()
    local output = ranks.run(1, [[
      for _, call in ipairs { { dist.allReduce, 3 }, { dist.allReduce, torch.ones(1), 'median' }, { dist.send, torch.ones(1), 0 },
          { dist.init, { backend = 'gloo' } }, { dist.newGroup, {} }, { dist.newGroup, { 0, 0 } }, { dist.newGroup, { 1 } },
          { dist.barrier, { timeout = 'x' } }, { dist.barrier, { wait = 1 } }, { dist.allToAll, {} },
          { dist.barrier, { group = 3 } } } do
        io.write((select(2, pcall(unpack(call)))), '\n')
      end
    ]])[1]
    for _, text in ipairs { 'allReduce: x: number, expected a tensor on the CPU', "allReduce: reduction: 'median', expected 'sum'",
      'send: target: 0, expected another rank', "init: backend: 'gloo', expected 'mpi'", 'newGroup: ranks: an empty list',
      'newGroup: ranks: rank 0 twice', 'newGroup: ranks: %[1%]: 1, expected a rank of the group: 0', 'barrier: timeout: .*number',
      'barrier: .*wait', 'allToAll: list: 0 tensors, expected 1', 'barrier: group: 3, expected a group of torch.distributed.newGroup' } do
      assert.truthy(output:find(text), text .. ' in ' .. output)
    end
  end)

  it('say at the exit which one goes on without its wait, and let those be that have ended', function()
    for _, output in ipairs(ranks.run(2, [[
      dist.allReduce(torch.ones(3), 'sum', { async = true })
      dist.barrier()      -- calls of a group run in their order
      io.write 'ok'
    ]])) do assert.equal('ok', output) end
    local _, status, errors = ranks.try(2, 'if rank == 0 then dist.receive(torch.Tensor(3), 1, { async = true }) end')
    assert.not_equal(0, status)
    assert.matches('torch.distributed: rank 0 ends while receive of a DoubleTensor of 3 from rank 1 at .*:5 goes on, expected its '
      .. 'handle:wait%(%) before', errors[1])
  end)
end)
