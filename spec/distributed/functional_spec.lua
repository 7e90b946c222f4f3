-- distributed.functional: values against the calls without a tape, gradients against differences over all ranks and closed forms.
local ranks = require 'spec.support.ranks'

-- Compares the gradients that all ranks' backward passes leave with differences of the sum of all ranks' losses: each element of each rank
-- is moved in turn, on its rank alone. `f` gives a tensor or a list of tensors. `shared`: all ranks have one input and one loss.
local common = [[
  local autograd = require 'autograd'
  local F = dist.functional
  local function flat(y)
    if torch.isTensor(y) then return y:contiguous():view(-1) end
    local list = {}
    for i, part in ipairs(y) do list[i] = part:contiguous():view(-1) end
    return torch.cat(list, 1)
  end
  local function lossOf(f, x, shared)
    local y = flat(f(x))
    local weights = torch.range(1, y:nElement()):mul(0.7):add(shared and 0 or rank):sin()
    return torch.sum(torch.cmul(weights, torch.cmul(y, y)))
  end
  local function number(loss) return type(loss) == 'number' and loss or loss:item() end
  local function checked(f, shared, sizes)
    torch.manualSeed(shared and 3 or 3 + rank)
    local x = torch.randn(unpack(sizes or { 2, 2 * n }))
    local leaf = x:clone():requiresGrad()
    lossOf(f, leaf, shared):backward()
    local step = 1e-6
    for r = 0, shared and 0 or n - 1 do
      for i = 1, x:nElement() do
        local function moved(by)
          local other = x:clone()
          if shared or r == rank then other:view(-1)[i] = other:view(-1)[i] + by end
          local value = torch.DoubleTensor { number(lossOf(f, other, shared)) }
          return shared and value[1] or dist.allReduce(value)[1]
        end
        local expected = (moved(step) - moved(-step)) / (2 * step)
        local came = leaf.grad:contiguous():view(-1)[i]
        if shared or r == rank then assert(math.abs(came - expected) < 1e-7 * math.max(1, math.abs(expected)), came .. ' ' .. expected) end
      end
    end
  end
  local function columns(x)
    local list = {}
    for i = 1, n do list[i] = torch.narrow(x, 2, 2 * i - 1, 2) end
    return list
  end
  local function refused(expected, f, ...)
    local done, problem = pcall(f, ...)
    assert(not done and problem:find(expected, 1, true), tostring(problem))
  end
]]

local function run(n, code)
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

describe('distributed.functional', function()
  for _, n in ipairs { 2, 3 } do
    it(('has the gradients that differences have, on %d ranks'):format(n), function()
      run(n, [[
        checked(function(x) return F.allReduce(x) end)
        checked(function(x) return F.allReduce(x, 'mean') end)
        checked(function(x) return F.allReduce(x, 'max') end)
        checked(function(x) return F.allReduce(x:t(), 'min') end)
        checked(function(x) return F.broadcast(x, n - 1) end)
        checked(function(x) return F.allGather(x) end)
        checked(function(x) return F.allGather(x)[n] end)      -- the other results have no gradient
        checked(function(x) return F.reduceScatter(columns(x)) end)
        checked(function(x) return F.reduceScatter(columns(x), 'mean') end)
        checked(function(x) return F.allToAll(columns(x)) end)
        checked(function(x) return F.allToAll(columns(x))[1] end)
        checked(function(x) return F.allReduce(torch.sin(F.allToAll(columns(torch.exp(F.allReduce(x))))[1])) end)
      ]])
    end)

    it(('has the gradients of regions that share a loss, on %d ranks'):format(n), function()
      run(n, [[
        -- The region multiplies by a number of the rank's own.
        checked(function(x) return F.reduceFromRegion(torch.mul(F.copyToRegion(x), rank + 1)) end, true)
        checked(function(x) return F.gatherFromRegion(torch.mul(torch.sin(F.scatterToRegion(x)), rank + 1)) end, true)
        checked(function(x) return F.gatherFromRegion(torch.sin(F.scatterToRegion(x, 1)), 1) end, true, { n, 2 })
        checked(function(x) return F.gatherFromRegion(torch.mul(torch.narrow(F.copyToRegion(x), 2, 1, 2), rank + 2), 1) end, true)
      ]])
    end)
  end

  it('computes what the calls without a tape compute, and leaves the arguments', function()
    run(3, [[
      local x = torch.randn(4):requiresGrad()
      local before = x:detach():clone()
      for _, how in ipairs { 'sum', 'mean', 'min', 'max' } do
        assert(torch.eq(F.allReduce(x, how):detach(), dist.allReduce(before:clone(), how)):all())
      end
      assert(torch.eq(F.allReduce(before, 'product'), dist.allReduce(before:clone(), 'product')):all())
      assert(torch.eq(F.broadcast(x, 1):detach(), dist.broadcast(before:clone(), 1)):all())
      local all = dist.allGather(before)
      for i, y in ipairs(F.allGather(x)) do assert(torch.eq(y:detach(), all[i]):all()) end
      assert(torch.eq(F.gatherFromRegion(x):detach(), torch.cat(all, 1)):all())
      assert(torch.eq(x:detach(), before):all())
      assert(not F.allReduce(before):isTracked() and F.allReduce(x):isTracked())
    ]])
  end)

  it('has gradients of gradients', function()
    run(2, [[
      -- L = sum over the ranks of s^3, s = x0 + x1: dL/dx = 6 s^2, and of the sum of both ranks' gradients 24 s
      local x = torch.DoubleTensor { 1 + rank }:requiresGrad()
      local y = torch.pow(F.allReduce(x), 3)
      local g = autograd.grad(y:sum(), x, { createGraph = true })
      g = torch.isTensor(g) and g or g[1]
      assert(g:item() == 54, g:item())
      local h = autograd.grad(g:sum(), x)
      h = torch.isTensor(h) and h or h[1]
      assert(h:item() == 24 * 3, h:item())
    ]])
  end)

  it('works in a group', function()
    run(3, [[
      local ends = dist.newGroup { 0, 2 }
      if rank ~= 1 then
        local x = torch.DoubleTensor { rank + 1 }:requiresGrad()
        local y = F.allReduce(x, 'sum', { group = ends })
        assert(y:item() == 4)
        torch.mul(y, rank + 1):sum():backward()
        assert(x.grad[1] == 4)
        local z = F.gatherFromRegion(torch.DoubleTensor { rank }, 1, { group = ends })
        assert(z:nElement() == 2 and z[2] == 2)
      end
    ]])
  end)

  it('refuses, on all ranks, an argument that requires a gradient on some', function()
    run(2, [[
      local x = torch.ones(3)
      if rank == 1 then x:requiresGrad() end
      local words = { [0] = 'without', 'with' }
      refused(('calls allReduce (sum) of a DoubleTensor of 3 %s a gradient'):format(words[rank]), F.allReduce, x)
      refused('a gradient', F.allGather, x)
      refused('a gradient', F.broadcast, x)
      assert(dist.allReduce(torch.ones(1))[1] == 2)
    ]])
  end)

  it('checks arguments', function()
    run(2, [[
      local x = torch.ones(2, 3):requiresGrad()
      refused('torch.distributed.functional.allReduce: x: number, expected a tensor on the CPU', F.allReduce, 3)
      refused("functional.allReduce: reduction: 'product' of a tensor with a gradient, expected 'sum'", F.allReduce, x, 'product')
      refused("functional.reduceScatter: reduction: max of tensors with gradients, expected 'sum' or 'mean'", F.reduceScatter, { x, x },
        'max')
      refused('async', F.allReduce, x, 'sum', { async = true })
      refused('functional.scatterToRegion: x: size 3 of dimension 2, expected a multiple of the 2 ranks', F.scatterToRegion, x)
      refused('dim: 3, expected', F.gatherFromRegion, x, 3)
      refused('list: 1 tensors, expected 2', F.allToAll, { x })
    ]])
  end)
end)
