-- torch.scaledDotProductAttention and nn.functional's: sizes of 0 and 1, shared heads, messages, and dropout.
local torch, nn = require 'torch', require 'nn'
local F = nn.functional

local function weightsOf(q, k, scale)
  return torch.softmax(torch.mul(torch.bmm(q, torch.transpose(k, 2, 3)), scale or 1 / math.sqrt(q:size(3))), 3)
end

describe('attention', function()
  it('accepts sizes of 0', function()
    for _, sizes in ipairs {
      { 2, 0, 3, 4, 5 }, { 2, 3, 0, 4, 5 }, { 2, 3, 5, 0, 5 }, { 2, 3, 5, 4, 0 }, { 0, 3, 5, 4, 2 }, { 2, 70, 3, 0, 0 },
    } do
      local heads, queries, keys, size, valueSize = unpack(sizes)
      local q, k, v = torch.randn(heads, queries, size), torch.randn(heads, keys, size), torch.randn(heads, keys, valueSize)
      local res, logsum = torch.scaledDotProductAttention(q, k, v)
      assert.equal(heads * queries * valueSize, res:nElement())
      assert.equal(heads * queries, logsum:nElement())
      if res:nElement() > 0 and keys == 0 then assert.equal(0, torch.abs(res):max()) end
      local gq, gk, gv = torch.scaledDotProductAttention_grad(torch.ones(heads, queries, valueSize), q, k, v, res, logsum)
      assert.same({ q:nElement(), k:nElement(), v:nElement() }, { gq:nElement(), gk:nElement(), gv:nElement() })
      for _, g in ipairs { gq, gk, gv } do
        if g:nElement() > 0 then assert.is_true(torch.all(torch.isfinite(g))) end
      end
    end
  end)

  it('refuses sizes that do not fit', function()
    local function refused(pattern, a, b, c, mask)
      assert.error_matches(function() torch.scaledDotProductAttention(a, b, c, mask) end, pattern)
    end
    local q, k, v = torch.randn(4, 3, 2), torch.randn(2, 5, 2), torch.randn(2, 5, 6)
    refused('query: .*, expected %(…, L, E%)', torch.randn(3), k, v)
    refused('key: .*, expected %(…, S, 2%)', q, torch.randn(2, 5, 3), v)
    refused('key: .*, expected %(…, S, 2%)', q, torch.randn(3, 5, 2), v)
    refused('key: .*, expected %(…, S, 2%)', torch.zeros(0, 3, 2), k, v)
    refused('value: .*, expected %(…, 5, V%)', q, k, torch.randn(2, 4, 6))
    refused('value: .*, expected %(…, 5, V%)', q, k, torch.randn(4, 5, 6))
    refused('mask: .*, expected sizes that broadcast to', q, k, v, torch.ones(3, 4))
    refused('mask: .*, expected sizes that broadcast to', q, torch.narrow(k, 2, 1, 1), torch.narrow(v, 2, 1, 1), torch.ones(3, 4))
    local res, logsum = torch.scaledDotProductAttention(q, k, v)
    assert.error_matches(function() torch.scaledDotProductAttention_grad(torch.ones(4, 3, 5), q, k, v, res, logsum) end, 'g: .*, expected')
  end)

  it('is the mean of the values, weighted by softmax', function()
    local q, k, v = torch.randn(4, 3, 2), torch.randn(4, 130, 2), torch.randn(4, 130, 6)
    local expected = torch.bmm(weightsOf(q, k), v)
    assert.is_true((F.scaledDotProductAttention(q, k, v) - expected):abs():max() < 1e-12)
    assert.is_true((F.scaledDotProductAttention(q, k, v, { scale = 3 }) - torch.bmm(weightsOf(q, k, 3), v)):abs():max() < 1e-12)
  end)

  -- Softmax of scores with -inf behind the diagonal, by other ops. Blocks have 64 queries and 128 keys, in parts of 24 on the diagonal.
  it('with isCausal excludes the keys behind each query, whatever the numbers of queries and keys', function()
    for _, sizes in ipairs { { 1, 3 }, { 3, 1 }, { 24, 24 }, { 49, 47 }, { 64, 64 }, { 65, 90 }, { 150, 140 }, { 140, 200 },
                            { 260, 130 } } do
      for typename, tolerance in pairs { ['torch.DoubleTensor'] = 1e-12, ['torch.FloatTensor'] = 1e-4 } do
        local function random(n, size) return torch.randn(2, n, size):type(typename) end
        local inputs = { random(sizes[1], 5), random(sizes[2], 5), random(sizes[2], 19) }
        local g = random(sizes[1], 19)
        local behind = torch.triu(torch.ones(sizes[1], sizes[2]), 1):byte():view(1, sizes[1], sizes[2])
        local function gradientsOf(f)
          local leaves = {}
          for i, x in ipairs(inputs) do leaves[i] = x:clone():requiresGrad() end
          local y = f(unpack(leaves))
          y:backward(g)
          return { y:detach(), leaves[1].grad, leaves[2].grad, leaves[3].grad }
        end
        local expected = gradientsOf(function(q, k, v)
          local scores = torch.mul(torch.bmm(q, torch.transpose(k, 2, 3)), 1 / math.sqrt(5))
          return torch.bmm(torch.softmax(torch.maskedFill(scores, behind:expandAs(scores), -math.huge), 3), v)
        end)
        local actual = gradientsOf(function(q, k, v) return F.scaledDotProductAttention(q, k, v, { isCausal = true }) end)
        for i, what in ipairs { 'result', 'by query', 'by key', 'by value' } do
          local difference = (actual[i] - expected[i]):abs():max()
          assert.is_true(difference < tolerance, ('%s, %d x %d, %s: %g'):format(typename, sizes[1], sizes[2], what, difference))
        end
      end
    end
  end)

  it('gives a query without keys zeros, and no gradient', function()
    local q, k, v = torch.randn(2, 3, 2):requiresGrad(), torch.randn(2, 5, 2):requiresGrad(), torch.randn(2, 5, 6):requiresGrad()
    local mask = torch.ones(2, 3, 5):byte()
    mask[2][3]:zero()
    local y = F.scaledDotProductAttention(q, k, v, { mask = mask })
    assert.equal(0, torch.max(torch.abs(y:detach()[2][3])))
    torch.sum(torch.square(y)):backward()
    assert.equal(0, torch.max(torch.abs(q.grad[2][3])))
    for _, x in ipairs { q, k, v } do assert.is_true(torch.all(torch.isfinite(x.grad))) end
    local before = k.grad:clone()
    k:zeroGrad()
    local others = F.scaledDotProductAttention(q[{ {}, { 1, 2 } }], k, v, { mask = mask[{ {}, { 1, 2 } }] })
    local last = F.scaledDotProductAttention(q[{ { 1 }, { 3 } }], k[{ { 1 } }], v[{ { 1 } }])
    torch.add(torch.sum(torch.square(others)), torch.sum(torch.square(last))):backward()
    assert.is_true((k.grad - before):abs():max() < 1e-12)
  end)

  it('shares heads of keys among adjacent heads of queries', function()
    local q, k, v = torch.randn(4, 3, 2), torch.randn(2, 5, 2), torch.randn(2, 5, 6)
    local function twice(x) return torch.reshape(torch.cat({ x:view(2, 1, -1), x:view(2, 1, -1) }, 2), 4, x:size(2), x:size(3)) end
    local separate = F.scaledDotProductAttention(q, twice(k), twice(v))
    assert.is_true(torch.equal(separate, F.scaledDotProductAttention(q, k, v)))
  end)

  it('drops weights with a probability, and keeps their mean', function()
    torch.manualSeed(1)
    local q, k, v = torch.zeros(1, 400, 2), torch.zeros(1, 50, 2), torch.ones(1, 50, 1)
    local y = F.scaledDotProductAttention(q, k, v, { dropout = 0.5 })
    assert.is_true(math.abs(y:mean() - 1) < 0.02 and y:std() > 0.1)
    assert.equal(0, F.scaledDotProductAttention(q, k, v, { dropout = 1 }):abs():max())
    assert.error_matches(function() F.scaledDotProductAttention(q, k, v, { dropout = 2 }) end, 'dropout: 2, expected')
    assert.error_matches(function() F.scaledDotProductAttention(q, k, 3) end, 'value: number, expected a tensor')
  end)
end)
