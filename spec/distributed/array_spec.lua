-- Arrays over ranks, on real processes, against the same operations on one tensor.
local ranks = require 'spec.support.ranks'

local common = [[
  local function same(a, b, bound)
    if type(a) == 'number' then a, b = torch.DoubleTensor { a }, torch.DoubleTensor { b } end
    assert(a:type() == b:type() and a:isSameSizeAs(b), tostring(a:size()) .. tostring(b:size()))
    if bound then
      local difference = a:nElement() > 0 and (a:double() - b:double()):abs():max() or 0
      assert(difference <= bound, difference)
    else
      local equal = torch.eq(a, b)
      if a:isFloatingPoint() then equal:add(torch.cmul(torch.ne(a, a), torch.ne(b, b))) end
      assert(a:nElement() == 0 or equal:min() == 1)
    end
  end
  local function refused(expected, f, ...)
    local done, problem = pcall(f, ...)
    assert(not done and problem:find(expected, 1, true), tostring(problem))
  end
  -- The whole, and an array with uneven shards: rank 1 has no rows.
  local function uneven(x)
    local counts, first = {}, 0
    for i = 1, n do counts[i] = i == 2 and 0 or math.floor(x:size(1) / (n - 1)) end
    counts[n] = counts[n] + x:size(1) - math.floor(x:size(1) / (n - 1)) * (n - 1)
    for i = 1, rank do first = first + counts[i] end
    return dist.array(x:narrow(1, first + 1, counts[rank + 1]):clone())
  end
  torch.manualSeed(3)
  local x, y = torch.randn(11, 4), torch.rand(11, 4)
]]

local function run(n, code)
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

describe('distributed.array', function()
  it('has the elements of its shards, in order', function()
    run(3, [[
      local a = dist.scatterArray(rank == 1 and x or nil, 1)
      assert(a:shard():size(1) == ({ 4, 4, 3 })[rank + 1] and a:firstRow() == ({ 1, 5, 9 })[rank + 1])
      same(a:shard(), x:narrow(1, a:firstRow(), a:shard():size(1)))
      same(a:allGather(), x)
      local whole = a:gather(2)
      assert((whole ~= nil) == (rank == 2))
      if whole then same(whole, x) end
      local b = uneven(x)
      assert(b:size(1) == 11 and b:size(2) == 4 and b:dim() == 2 and b:type() == 'torch.DoubleTensor' and #b:size() == 2)
      same(b:allGather(), x)
      same(b:redistribute():shard(), a:shard())
      same(a:redistribute({ 0, 11, 0 }):allGather(), x)
      local positions = torch.LongTensor { 11, 1, 5, 1 }
      same(b:index(positions), x:index(1, positions))
      same(b:type('torch.FloatTensor'):allGather(), x:float())
      assert(tostring(a):find(('distributed.Array(a DoubleTensor of 11 x 4, rows %d to'):format(a:firstRow()), 1, true))
      for _, wide in ipairs { 4, 2 } do
        local z = torch.randn(11, wide)
        z = dist.broadcast(z, 0)
        same(uneven(z):t():allGather(), z:t():contiguous())
        same(uneven(z):t():t():allGather(), z)
      end
    ]])
  end)

  it('computes elements as tensors do', function()
    run(3, [[
      local a, b = uneven(x), dist.scatterArray(y)
      same((a + b):allGather(), x + y)
      same((a - b):allGather(), x - y)
      same((a * b):allGather(), torch.cmul(x, y))
      same((a / b):allGather(), torch.cdiv(x, y))
      same((-a):allGather(), -x)
      same((2 - a):allGather(), -x + 2)
      same((a * 2 + 1):allGather(), x * 2 + 1)
      same((1 / b):allGather(), y:clone():cinv())
      local row = torch.randn(1, 4)
      row = dist.broadcast(row, 0)
      same((a - row):allGather(), x - row:expandAs(x))
      same(a:exp():tanh():allGather(), torch.tanh(torch.exp(x)))
      same(b:log():pow(2):allGather(), torch.pow(torch.log(y), 2))
      same(a:gt(0):allGather(), torch.gt(x, 0))
      same(a:clamp(-1, 1):allGather(), torch.clamp(x, -1, 1))
      same(a:map(function(p, q) return torch.cat(p, q, 2) end, b):allGather(), torch.cat(x, y, 2))
      refused('map: f: its result is number, expected a tensor of', a.map, a, function() return 3 end)
      refused('add: argument 1: DoubleTensor of 11 x 4, expected an array, or a tensor of one row', function() return a + x end)
      refused('add: argument 1: an array of 5 rows, expected 11', function() return a + dist.scatterArray(x:narrow(1, 1, 5)) end)
      assert(a.nothing == nil and a.svd == nil)
    ]])
  end)

  it('reduces as tensors do', function()
    run(3, [[
      for _, kind in ipairs { 'Double', 'Float', 'Long' } do
        local z = (x * 10):type('torch.' .. kind .. 'Tensor')
        local a, bound = uneven(z), kind == 'Double' and 1e-12 or kind == 'Float' and 1e-4 or 0
        same(a:sum(), z:sum(), bound)
        same(a:max(), z:max())
        same(a:min(), z:min())
        for d = 1, 2 do
          local function whole(r) return torch.isTensor(r) and r or r:allGather() end
          same(whole(a:sum(d)), torch.sum(z, d), bound)
          same(whole(a:max(d)), (torch.max(z, d)))
          same(whole(a:min(d)), (torch.min(z, d)))
          if kind ~= 'Long' then
            same(whole(a:mean(d)), torch.mean(z, d), bound)
            same(whole(a:var(d)), torch.var(z, d), bound * 100)
            same(whole(a:std(d)), torch.std(z, d), bound * 100)
          end
        end
        if kind ~= 'Long' then
          same(a:mean(), z:mean(), bound)
          same(a:var(), torch.var(z), bound * 100)
          same(a:std(), torch.std(z), bound)
          same(a:norm(), z:norm(), bound * 10)
        end
      end
      same(uneven(x):histc(7, -1, 1), torch.histc(x:view(-1), 7, -1, 1))
      same(uneven(x):histc(5), torch.histc(x:view(-1), 5))
      refused('min: an array of no rows', function() return dist.array(torch.Tensor(0, 2)):min() end)
    ]])
  end)

  it('multiplies matrices', function()
    run(3, [[
      local b = torch.randn(4, 5)
      b = dist.broadcast(b, 0)
      same(uneven(x):matmul(dist.scatterArray(b)):allGather(), torch.mm(x, b), 1e-13)
      same(uneven(x):matmul(b):allGather(), torch.mm(x, b), 1e-13)
      same(uneven(x):matmul(b:select(2, 1)):allGather(), torch.mv(x, b:select(2, 1)), 1e-13)
      local long = dist.broadcast(torch.randn(3, 1300), 0)
      local tall = dist.broadcast(torch.randn(1300, 2), 0)
      same(dist.scatterArray(long):matmul(uneven(tall)):allGather(), torch.mm(long, tall), 1e-11)
      same(uneven(x):gram(), torch.mm(x:t(), x), 1e-13)
      same(uneven(x):gram(dist.scatterArray(y)), torch.mm(x:t(), y), 1e-13)
      same(uneven(x):gram(dist.scatterArray(y:select(2, 2):clone())), torch.mv(x:t(), y:select(2, 2)), 1e-13)
      refused('matmul: b: a DoubleTensor of 11 x 4, expected a DoubleTensor of 4 rows', function() return uneven(x):matmul(uneven(y)) end)
    ]])
  end)

  for _, n in ipairs { 2, 4 } do
    it(('sorts as one process does, on %d ranks'):format(n), function()
      run(n, [[
        local function check(z)
          local values, positions = uneven(z):sort()
          local expected, order = torch.sort(z, 1)
          same(values:allGather(), expected)
          same(positions:allGather(), order)
          assert(values:shard():size(1) == uneven(z):shard():size(1))
        end
        check(dist.broadcast(torch.randn(1003), 0))
        check(dist.broadcast(torch.randn(500):float(), 0))
        check(dist.broadcast(torch.LongTensor(1000):random(1, 4), 0))      -- many are equal
        check(torch.ones(300))
        check(torch.range(200, 1, -1))
        local special = dist.broadcast(torch.randn(200), 0)
        for i = 1, 200, 3 do special[i] = ({ 0 / 0, math.huge, -math.huge })[i % 3 + 1] end
        for i = 2, 200, 3 do special[i] = 0 / 0 end
        check(special)
        check(torch.Tensor { 3, 1 })
      ]])
    end)
  end

  it('reads and writes shards, of any number of rows', function()
    run(3, [[
      local folder = dist.broadcastObject(rank == 0 and os.tmpname() or nil)
      if rank == 0 then
        os.remove(folder)
        os.execute('mkdir ' .. folder)
        torch.npy.save(folder .. '/whole.npy', x)
      end
      dist.barrier()
      same(dist.loadArray(folder .. '/whole.npy'):allGather(), x)
      uneven(x):save(folder .. '/part-%d.npy')
      same(torch.npy.load(('%s/part-%d.npy'):format(folder, rank + 1)), uneven(x):shard())
      local a = dist.loadArray(folder .. '/part-%d.npy')
      same(a:shard(), dist.scatterArray(x):shard())      -- as many rows on each rank
      uneven(x):save(folder .. '/part-%03d.csv')
      same(dist.loadArray(folder .. '/part-%03d.csv'):allGather(), x)
      if pcall(function() return require('hdf5').open(folder .. '/' .. rank .. '.h5', 'w'):close() end) then
        dist.scatterArray(x):save(folder .. '/part-%d.h5', { dataset = 'data' })
        same(dist.loadArray(folder .. '/part-%d.h5', { dataset = 'data' }):allGather(), x)
      end
      same(dist.loadArray({ folder .. '/whole.npy', folder .. '/part-1.npy' }):allGather(),
        torch.cat(x, torch.npy.load(folder .. '/part-1.npy'), 1))
      refused('rank 0: ', dist.loadArray, folder .. '/none.npy')
      refused('no file', dist.loadArray, folder .. '/none-%d.npy')
      refused('expected a name that ends in .npy', dist.loadArray, folder .. '/x.dat')
      refused('expected a name with %d', a.save, a, folder .. '/one.npy')
      dist.barrier()
      if rank == 0 then os.execute('rm -r ' .. folder) end
    ]])
  end)

  it('works in groups, and refuses shards that differ', function()
    run(3, [[
      refused('shard: rank 1 has a DoubleTensor, rows of 5, expected as rank 0 a DoubleTensor, rows of 4', dist.array,
        torch.zeros(2, rank == 1 and 5 or 4))
      refused('array: shard: 3, expected a tensor', dist.array, 3)
      local pair = dist.newGroup { 2, 0 }
      if rank ~= 1 then
        local a = dist.array(torch.Tensor(2, 1):fill(rank), { group = pair })
        same(a:allGather():view(-1), torch.Tensor { 2, 2, 0, 0 })
        same(a:redistribute({ 4, 0 }):shard():size(1), rank == 2 and 4 or 0)
        same(a:sum(), 4)
      end
    ]])
  end)
end)
