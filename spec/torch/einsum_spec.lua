-- einsum's notation, and the other ops composed of matrix products and singular values, for cases that a sweep can't cover.
local torch = require 'torch'
local assertClose = require('spec.support.close').within(1e-12)

describe('einsum', function()
  local a, b = torch.randn(3, 4), torch.randn(4, 5)

  it('reads its notation', function()
    assertClose(torch.einsum('ij,jk', a, b), a * b)
    assertClose(torch.einsum(' ij , jk -> ki ', a, b), (a * b):t())
    assertClose(torch.einsum('ba', a), a:t())                       -- letters that occur once are in alphabetical order
    local copy = torch.einsum('ij->ij', a):add(1)
    assertClose(copy, a + 1)                                        -- a is as it was
    assertClose(torch.einsum('ij->', a) - torch.sum(a) + a, a)
    assertClose(torch.einsum('ii', torch.eye(3)) + a, a + 3)
    assertClose(torch.einsum('ij,jk,lk->il', { a, b, torch.ones(2, 5) }), a * b * torch.ones(5, 2))
    assertClose(torch.einsum(torch.Tensor(), 'ij,jk', a, b), a * b)
  end)

  it('stretches what an ellipsis stands for, and sizes of 1', function()
    local x, y = torch.randn(2, 1, 3, 4), torch.randn(5, 4, 2)
    assertClose(torch.einsum('...ij,...jk->...ik', x, y), torch.matmul(x, y))
    assertClose(torch.einsum('...ij->...', x), x:sum(4):sum(3):view(2, 1))
    assertClose(torch.einsum('ij,ij->ij', torch.ones(1, 4), a), a)
    assertClose(torch.einsum('ij->ij', torch.ones(1, 4)), torch.ones(1, 4))
  end)

  it('does not pair tensors of equally many elements in order, as Torch7 does', function()
    assertClose(torch.einsum('i,j->ij', torch.range(1, 3), torch.range(1, 3)), torch.ger(torch.range(1, 3), torch.range(1, 3)))
    assertClose(torch.einsum('bi,bj->bij', torch.randn(3, 3):fill(2), torch.ones(3, 3)), torch.ones(3, 3, 3) * 2)
  end)

  local refused = {
    { 'equation: .*for 2 operands, expected 1', 'ij', { a, b } },
    { "equation: 'ijk' for operand 1 of size %[3, 4%]", 'ijk', { a } },
    { "operands: size 5 for 'j' in operand 2, expected 4 as before", 'ij,kj', { a, torch.randn(2, 5) } },
    { "equation: expected 'z' once in the result", 'ij->iz', { a } },
    { "equation: expected 'i' once in the result 'ii'", 'ij->ii', { a } },
    { "equation: 'i1'", 'i1', { torch.ones(3) } },
    { "operands: size 4 for 'i' in operand 1, expected 3 as before", 'ii->i', { a } },
    { "operands: 'i' twice in operand 1 of size %[1, 3%]", 'ii->i', { torch.ones(1, 3) } },
    { 'operands: none', '', {} },
  }
  for _, case in ipairs(refused) do
    it('refuses: ' .. case[1], function()
      local ok, message = pcall(torch.einsum, case[2], case[3])
      assert.is_false(ok)
      assert.truthy(message:find('einsum: ' .. case[1]), message)
    end)
  end
end)

describe('of singular values,', function()
  local low = torch.mm(torch.randn(5, 2), torch.randn(2, 4))

  it("pinv has Penrose's four properties at any rank", function()
    local p = torch.pinv(low)
    assertClose(low * p * low, low)
    assertClose(p * low * p, p)
    assertClose((low * p):t(), low * p)
    assertClose((p * low):t(), p * low)
    assertClose(torch.pinv(torch.zeros(2, 3)), torch.zeros(3, 2))
  end)

  it('lstsq gives the shortest solution, matrix_rank counts', function()
    local b = torch.randn(5)
    local x = torch.lstsq(low, b)
    assertClose(low:t() * (low * x - b), torch.zeros(4))
    assertClose(torch.pinv(low) * low * x, x)
    assert.equal(2, torch.matrix_rank(low))
    local both = torch.cat({ torch.diag(torch.Tensor { 1, 1, 0, 0 }):view(1, 4, 4), torch.eye(4):view(1, 4, 4) }, 1)
    assert.same({ 2, 4 }, torch.matrix_rank(both):totable())
  end)

  it('norms agree with those of a diagonal matrix', function()
    local d = torch.diag(torch.Tensor { 3, -4 })
    local expected = { fro = 5, nuc = 7, [2] = 4, [-2] = 3, [1] = 4, [math.huge] = 4 }
    for p, norm in pairs(expected) do assert.is_true(math.abs(torch.matrix_norm(d, p) - norm) < 1e-14) end
  end)
end)

describe('matrix_power', function()
  it('of integers is exact, of a negative power the inverse', function()
    local f = torch.matrix_power(torch.LongTensor { { 1, 1 }, { 1, 0 } }, 70)
    assert.equal(190392490709135, f[1][2])                    -- Fibonacci's 70th
    assertClose(torch.matrix_power(torch.Tensor { { 2, 0 }, { 0, 4 } }, -2), torch.Tensor { { 0.25, 0 }, { 0, 0.0625 } })
    assert.error_matches(function() torch.matrix_power(torch.zeros(2, 2), -1) end, 'matrix_power: inverse: a: U%(1,1%) is 0, U is singular')
  end)
end)
