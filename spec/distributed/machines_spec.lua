-- torch.distributed among several machines: how many messages calls take, the order of their sums, refusals, and the names of late ranks.
-- Each rank counts as a machine of its own here, so that the ranks of one machine test what crosses cables otherwise.
local ranks = require 'spec.support.ranks'

local function same(n, expected, code)
  for _, output in ipairs(ranks.run(n, code, 1)) do assert.equal(expected, output) end
end

describe('torch.distributed among machines', function()
  -- The messages that all ranks send to each other: in a dissemination barrier n for each of ceil(log2 n) rounds; with short tensors no
  -- others; with long ones those of their pieces up the chain, and down.
  local counts = [[
    local native = require 'distributed.native'
    local list = {}
    local function check(what, expected, f)
      local before = native.mt_distributed_messages()
      f()
      local sent = tonumber(native.mt_distributed_messages() - before)
      local all = dist.allReduce(torch.LongTensor { sent })[1]
      if all ~= expected then error(('%s: %d messages, expected %d'):format(what, all, expected), 0) end
    end
    local headers = n * math.ceil(math.log(n) / math.log(2))
    check('barrier', headers, dist.barrier)
    local short = torch.FloatTensor(1000)
    check('short allReduce', headers, function() dist.allReduce(short:fill(1)) end)
    check('short reduce', headers, function() dist.reduce(short, n - 1) end)
    check('short broadcast', headers, function() dist.broadcast(short, n - 1) end)
    check('short allGather', headers, function() dist.allGather(short) end)
    -- Pieces have a 4 n-th of the vector, but 16 to 60 KB.
    for _, count in ipairs { 5000, 300000, 2000000 } do
      local function pieces(part, whole)
        local longest = math.floor(math.min(math.max(4 * whole / (4 * n), 16 * 1024), 60 * 1024) / 4)
        return math.ceil(part / longest)
      end
      local one, some = pieces(count, count), pieces(count, n * count)
      local x = torch.FloatTensor(count):fill(1)
      for i = 1, n do list[i] = x end
      check('allReduce', headers + 2 * (n - 1) * one, function() dist.allReduce(x) end)
      check('reduce to the last one', headers + (n - 1) * one, function() dist.reduce(x, n - 1) end)
      check('reduce to the first one', headers + n * one, function() dist.reduce(x, 0) end)
      check('broadcast', headers + (n - 1) * one, function() dist.broadcast(x, 1) end)
      check('allGather', headers + n * (n - 1) * some, function() dist.allGather(x) end)
      check('reduceScatter', headers + (n * (n - 1) + n - 1) * some, function() dist.reduceScatter(list) end)
    end
    io.write 'ok'
  ]]
  for _, n in ipairs { 2, 3, 4, 8 } do
    it(('takes as many messages as known for %d ranks'):format(n), function() same(n, 'ok', counts) end)
  end

  it('adds in the order of the ranks, and 16-bit floats in float32', function()
    -- From left to right 2^24 + 1 + 1 loses both ones in float32, and 2048 + 1 + 1 in binary16 and 256 + 1 + 1 in bfloat16 would.
    same(3, 'ok', [[
      local function filled(kind, count, large) return torch[kind .. 'Tensor'](count):fill(rank == 0 and large or 1) end
      for _, count in ipairs { 5, 3000, 8000, 100003, 1000003 } do
        for _, case in ipairs { { 'Float', 2 ^ 24, 2 ^ 24 }, { 'Half', 2048, 2050 }, { 'BFloat16', 256, 258 } } do
          local kind, large, sum = unpack(case)
          local function check(x, what)
            x = x:double()
            if x:min() ~= sum or x:max() ~= sum then error(('%s of %d %s'):format(what, count, kind), 0) end
          end
          check(dist.allReduce(filled(kind, count, large)), 'allReduce')
          local x = filled(kind, count, large)
          dist.reduce(x, 1)
          if rank == 1 then check(x, 'reduce') else assert(torch.equal(x, filled(kind, count, large))) end
          local one = filled(kind, count, large)
          check(dist.reduceScatter { one, one, one }, 'reduceScatter')
        end
      end
      io.write 'ok'
    ]])
  end)

  it('refuses calls that differ, on all ranks, with the lines of both, and goes on', function()
    local outputs = ranks.run(4, [[
      local function report(_, problem) io.write((problem:match 'torch%.dist.*':gsub('/%S*lua_%w+%.lua', 'F')), '\n') end
      report(pcall(dist.allReduce, torch.ones(rank == 2 and 2000 or 3)))
      if rank == 3 then
        report(pcall(dist.broadcast, torch.ones(3), 1))
      else
        report(pcall(dist.allGather, torch.ones(100000)))
      end
      if rank == 0 then report(pcall(dist.barrier)) else report(pcall(dist.broadcast, torch.ones(1500), 1)) end
      io.write(dist.allReduce(torch.ones(1))[1])
    ]], 1)
    local words = 'torch.distributed.%s: rank %d calls %s, rank %d %s, expected the same call on all ranks\n'
    for rank = 0, 3 do
      local expected = ''
      local function refusal(odd, calls)
        local other = rank == odd and (odd == 0 and 1 or 0) or odd
        local own, theirs = calls[rank == odd], calls[other == odd]
        expected = expected .. words:format(own:match '%w+', rank, own, other, theirs)
      end
      refusal(2, {
        [false] = 'allReduce (sum) of a DoubleTensor of 3 at F:6',
        [true] = 'allReduce (sum) of a DoubleTensor of 2000 at F:6',
      })
      refusal(3, {
        [false] = 'allGather of a DoubleTensor of 100000 at F:10',
        [true] = 'broadcast of a DoubleTensor of 3 from rank 1 at F:8',
      })
      refusal(0, { [false] = 'broadcast of a DoubleTensor of 1500 from rank 1 at F:12', [true] = 'barrier at F:12' })
      assert.equal(expected .. '4', outputs[rank + 1])
    end
  end)

  it('names the late rank on all others, also on those that expect none of its messages', function()
    local outputs = ranks.try(4, [[
      local other = dist.newGroup { 3, 2, 1, 0 }
      dist.barrier()
      local problem = rank == 1 or select(2, pcall(dist.barrier, { timeout = 3 }))
      io.write((tostring(problem):gsub('^.*(torch%.dist)', '%1'):gsub('/%S*lua_%w+%.lua', 'F')))
      io.flush()
      dist.barrier { group = other }
      os.exit(3)      -- MPI can't end well after a failure: mpirun ends all ranks
    ]], 1)
    for _, rank in ipairs { 0, 2, 3 } do
      assert.equal(('torch.distributed.barrier: rank %d waited 3 s for rank 1, whose last call was barrier at F:6'):format(rank),
        outputs[rank + 1])
    end
  end)
end)
