-- Solvers of arrays over ranks against those of torch in one process, on the gathered arrays.
local ranks, shell = require 'spec.support.ranks', require 'spec.support.shell'

local hasScalapack = select(2, shell 'ldconfig -p | grep -q libscalapack-openmpi') == 0

local common = [[
  local function close(found, expected, bound)
    local difference = (found:double() - expected:double()):abs():max()
    assert(difference <= bound * math.max(1, torch.abs(expected:double()):max()), difference)
  end
  local function refuses(pattern, f, ...)
    local _, problem = pcall(f, ...)
    assert(type(problem) == 'string' and problem:find(pattern), tostring(problem))
  end
  -- An array of a tensor that is the same on all ranks, with uneven shards: the second rank has none.
  local function spread(x)
    local counts, before, own = {}, 0, nil
    for i = 1, n do counts[i] = n > 1 and i == 2 and 0 or math.floor(x:size(1) / n) end
    counts[1] = x:size(1)
    for i = 2, n do counts[1] = counts[1] - counts[i] end
    for i = 1, rank do before = before + counts[i] end
    own = counts[rank + 1]
    return dist.array(own > 0 and x:narrow(1, before + 1, own):clone() or x.new():resize(0, unpack(x:size():totable(), 2)))
  end
]]

local function run(n, code)
  if not hasScalapack then pending 'ScaLAPACK is missing: Debian and Ubuntu have it in libscalapack-openmpi2.2' end
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

describe('arrays over ranks', function()
  -- 150 rows are 3 blocks of 64, 70 rows are 2: a grid of 2 x 2 ranks deals them unevenly. ScaLAPACK's ranks
  -- use a core each while they wait, so that more ranks than cores take long: these have less to do.
  for _, n in ipairs { 1, 2, 4 } do
    it(('solve and decompose as one process, with %d ranks'):format(n), function()
      run(n, [[
        torch.manualSeed(11)
        local cases = { { 5, 'torch.DoubleTensor' }, { 70, 'torch.FloatTensor' }, { 150, 'torch.DoubleTensor' } }
        for _, case in ipairs(n > 2 and { { 70, 'torch.DoubleTensor' } } or cases) do
          local size, kind = unpack(case)
          local bound = kind == 'torch.DoubleTensor' and 1e-10 or 2e-3
          local a = (torch.randn(size, size) + torch.eye(size) * 30):type(kind)
          local b, v = torch.randn(size, 70):type(kind), torch.randn(size):type(kind)
          local A, B = spread(a), spread(b)
          local x = B:gesv(A)
          assert(x:shard():size(1) == B:shard():size(1))
          close(x:allGather(), torch.gesv(b, a), bound)
          close(spread(v):gesv(A):allGather(), torch.gesv(v:view(-1, 1), a):view(-1), bound)
          assert(torch.equal(A:allGather(), a) and torch.equal(B:allGather(), b))      -- they don't change

          local s = torch.mm(a, a:t())
          local S = spread(s)
          for _, uplo in ipairs { 'L', n <= 2 and 'U' or nil } do
            local factor = S:potrf(uplo)
            close(factor:allGather(), torch.potrf(s, uplo), bound)
            close(torch.mm(s, B:potrs(factor, uplo):allGather()), b, bound * 100)
          end

          if n == 4 then break end
          local values, vectors = S:symeig 'V'
          local expected = torch.symeig(s, 'V')
          close(values, expected, bound)
          local q = vectors:allGather()
          close(torch.mm(s, q), torch.mm(q, torch.diag(values)), bound * 10)
          close(torch.mm(q:t(), q), torch.eye(size), bound * 10)
          -- One triangle is read.
          close(spread(torch.triu(s)):symeig('N', 'U'), expected, bound)
          close(spread(torch.tril(s)):symeig('N', 'L'), expected, bound)

          for _, rows in ipairs { size + 37, size - 3 } do      -- overdetermined, underdetermined
            local w, y = torch.randn(rows, size):type(kind), torch.randn(rows, 2):type(kind)
            local W, Y = spread(w), spread(y)
            close(Y:gels(W):allGather(), torch.gels(y, w), bound * 10)
            close(spread(y:select(2, 1):clone()):gels(W):allGather(), torch.gels(y, w):select(2, 1), bound * 10)
          end
        end
      ]])
    end)
  end

  it('solve in a group of some ranks, beside calls of others', function()
    run(3, [[
      local pair = dist.newGroup { 2, 0 }
      torch.manualSeed(3)
      local a, b = torch.randn(80, 80), torch.randn(80, 1)
      if rank ~= 1 then
        local first = rank == 2 and 0 or 30
        local rows = rank == 2 and 30 or 50
        local A = dist.array(a:narrow(1, first + 1, rows):clone(), { group = pair })
        local B = dist.array(b:narrow(1, first + 1, rows):clone(), { group = pair })
        for _ = 1, 3 do close(B:gesv(A):allGather(), torch.gesv(b, a), 1e-9) end
      end
      assert(dist.allReduce(torch.Tensor { rank })[1] == 3)
      close(spread(b):gesv(spread(a)):allGather(), torch.gesv(b, a), 1e-9)
    ]])
  end)

  it('refuse what has no solution and wrong arguments, and go on', function()
    run(2, [[
      local singular = torch.ones(70, 70)
      refuses('array: gesv: a: U%(%d+,%d+%) is zero', spread(torch.ones(70, 1)).gesv, spread(torch.ones(70, 1)), spread(singular))
      local indefinite = torch.eye(70)
      indefinite[66][66] = -1
      refuses('array: potrf: self: the leading minor of order 66 is not positive definite', function() spread(indefinite):potrf() end)
      local a, b = spread(torch.eye(4)), spread(torch.ones(4))
      refuses('gesv: a: torch.DoubleTensor, expected an array', function() b:gesv(torch.eye(4)) end)
      refuses('gesv: a: a DoubleTensor of 4 x 2, expected a square matrix', function() b:gesv(spread(torch.ones(4, 2))) end)
      refuses('gels: b: a DoubleTensor of 4, expected a DoubleTensor of 5 rows', function() b:gels(spread(torch.ones(5, 2))) end)
      refuses('potrf: self: a LongTensor of 2 x 2, expected a square matrix of Float or Double', function()
        spread(torch.ones(2, 2):long()):potrf()
      end)
      refuses("potrf: uplo: l, expected 'U' or 'L'", function() a:potrf 'l' end)
      refuses("symeig: jobz: true, expected 'N' or 'V'", function() a:symeig(true) end)
      local x = torch.ones(3)
      local handle = rank == 0 and dist.send(x, 1, { async = true }) or nil
      refuses('array: gesv: a call with async goes on, expected none: its handle:wait%(%) first %(rank 0%)', function() b:gesv(a) end)
      if rank == 0 then handle:wait() else dist.receive(x, 0) end
      refuses('expected as rank', function() if rank == 0 then b:gesv(a) else a:potrf() end end)
      close(b:gesv(a):allGather(), torch.ones(4), 0)
    ]])
  end)

  it('name the package where ScaLAPACK is missing', function()
    for _, output in ipairs(ranks.run(2, common .. [[
      local a = spread(torch.eye(4))
      if rank == 1 then require('torch.library').open = function(_, missing) error(missing, 0) end end
      refuses('array: potrf: libscalapack%-openmpi.so.2.2 was not found, .*apt%-get install libscalapack%-openmpi2.2 .*%(rank 1%)',
        a.potrf, a)
      io.write 'ok'
    ]])) do assert.equal('ok', output) end
  end)
end)
