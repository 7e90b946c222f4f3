-- Products of sparse matrices of all formats with dense vectors and matrices, from both sides, compared with dense products. Elements are
-- small integers, so that sums are exact in every dtype and order.
local torch, autograd = require 'torch', require 'autograd'

local sparse = torch.sparse
local kinds = { 'Half', 'BFloat16', 'Float', 'Double', 'Int', 'Long', 'ComplexFloat', 'ComplexDouble' }
local formats = { 'coo', 'csr', 'csc', 'bsr', 'dia' }

local function integers(kind, ...)
  local function drawn(...) return torch.DoubleTensor(...):random(0, 4):csub(2) end
  if kind:find 'Complex' then return torch.complex(drawn(...), drawn(...)):type('torch.' .. kind .. 'Tensor') end
  return drawn(...):type('torch.' .. kind .. 'Tensor')
end

-- Few elements other than 0, with empty rows and columns.
local function few(kind, rows, columns)
  local kept = torch.lt(torch.DoubleTensor(rows, columns):uniform(), torch.uniform(0, 0.5)):double()
  return torch.cmul(integers(kind, rows, columns), kept:type('torch.' .. kind .. 'Tensor'))
end

-- The dense product, of complex doubles.
local function expected(a, b)
  local function wide(x) return torch.to(x, 'torch.ComplexDoubleTensor') end
  return torch.matmul(wide(a), wide(b))
end

local function assertSame(x, y)
  assert.same(x:size():totable(), y:size():totable())
  assert.is_true(torch.equal(torch.to(x, 'torch.ComplexDoubleTensor'), torch.to(y, 'torch.ComplexDoubleTensor')))
end

for _, kind in ipairs(kinds) do
  describe('products of sparse matrices of ' .. kind, function()
    it('are those of dense ones', function()
      for _ = 1, 12 do
        local r, c = torch.random(5), torch.random(5)
        local rows, columns, k = torch.random(9) * r, torch.random(9) * c, torch.random(40)
        local a = few(kind, rows, columns)
        local right, left = integers(kind, columns, k), integers(kind, k, rows)
        for _, format in ipairs(formats) do
          local s = a:sparse(format, r, c)
          assertSame(expected(a, right), s * right)
          assertSame(expected(left, a), left * s)
          if columns > 1 then assertSame(expected(a, right:select(2, 1)), s * right:select(2, 1)) end
          if rows > 1 then assertSame(expected(a:t(), left[1]), left[1] * s) end
        end
      end
    end)
  end)
end

describe('products of sparse matrices', function()
  it('of large ones are those in compressed rows, and the same for any number of threads', function()
    local threads = torch.getnumthreads()
    local n, each = 3000, 40
    local s = sparse.csr(torch.range(0, n):long() * each + 1, torch.LongTensor(n * each):random(n), integers('Double', n * each), { n, n })
    local diagonals = sparse.dia(integers('Double', 25, n), torch.range(-12, 12):long() * 200, { n, n })
    for _, a in ipairs { s:coalesce(), s:bsr(3), s:bsr(2, 5), diagonals } do
      local csr = a:csr()
      for _, k in ipairs { 1, 3, 8, 17, 70 } do
        local x = k == 1 and integers('Double', n) or integers('Double', n, k)
        local own, turned = csr:_product(x, false), csr:transpose():_product(x, false)
        local random = x:clone():normal()
        local first
        for count = 1, 3 do
          torch.setnumthreads(count)
          assert.is_true(torch.equal(own, a:_product(x, false)))
          assert.is_true(torch.equal(turned, a:_product(x, true)))
          assert.is_true(torch.equal(turned, csr:_product(x, true)))
          local now = { a:_product(random, false), a:_product(random, true), csr:_product(random, true) }
          first = first or now
          for i, y in ipairs(now) do assert.is_true(torch.equal(first[i], y)) end
        end
        torch.setnumthreads(threads)
      end
    end
  end)

  it('convert nothing: a matrix that changes is multiplied as it is', function()
    for _, format in ipairs(formats) do
      local s = torch.eye(4):sparse(format, 2)
      local x = torch.ones(4, 2)
      assertSame(x, s * x)
      s:values():mul(3)
      assertSame(x * 3, s * x)
      assertSame(torch.ones(2, 4) * 3, torch.ones(2, 4) * s)
    end
  end)

  it('have gradients from both sides', function()
    local a = few('Double', 6, 8)
    for _, format in ipairs(formats) do
      local s = a:sparse(format, 3, 2)
      local function left(values, x) return x * s:_with(values) end
      assert(autograd.gradcheck(left, { s:values():clone(), torch.randn(3, 6):double() }, { order = 2 }))
      assert(autograd.gradcheck(left, { s:values():clone(), torch.randn(6):double() }))
      local z = torch.complex(a, few('Double', 6, 8)):sparse(format, 2, 4)
      local function complexLeft(values, x) return torch.viewAsReal(torch.viewAsComplex(x) * z:_with(torch.viewAsComplex(values))) end
      assert(autograd.gradcheck(complexLeft, { torch.viewAsReal(z:values()):clone(), torch.randn(3, 6, 2):double() }))
    end
  end)

  it('of empty matrices are 0', function()
    for _, sizes in ipairs { { 4, 6 }, { 0, 6 }, { 4, 0 }, { 0, 0 } } do
      local rows, columns = unpack(sizes)
      local none = sparse.coo(torch.LongTensor(2, 0), torch.DoubleTensor(0), sizes)
      for _, s in ipairs { none, none:csr(), none:csc(), none:bsr(2), none:dia() } do
        for _, k in ipairs { 3, 0 } do
          assertSame(torch.zeros(rows, k), s * torch.DoubleTensor(columns, k):fill(1))
          assertSame(torch.zeros(k, columns), torch.DoubleTensor(k, rows):fill(1) * s)
        end
      end
    end
  end)

  it('refuse operands of other sizes, from both sides', function()
    local a = torch.ones(4, 6)
    for _, format in ipairs(formats) do
      local s = a:sparse(format, 2)
      assert.error_matches(function() return s * torch.ones(5, 2) end, 'mm: other: 5 rows, expected 6')
      assert.error_matches(function() return torch.ones(2, 5) * s end, 'mm: other: 5 rows, expected 4')
      assert.error_matches(function() return torch.ones(5) * s end, 'mm: other: 5 rows, expected 4')
      assert.error_matches(function() return s * torch.ones(6, 2, 2) end, 'x: .*expected a vector or matrix')
    end
  end)
end)

describe('ops on parts of sparse matrices', function()
  local function long(...) return torch.LongTensor { ... } end
  local function fails(text, f, ...)
    local arguments = { ... }
    assert.error_matches(function() f(unpack(arguments)) end, text)
  end
  local blocks, ones, x = torch.ones(1, 2, 3), torch.ones(1), torch.ones(6, 2)

  it('refuse wrong places, and leave results alone', function()
    for _, place in ipairs { 0, -1, 4, 2 ^ 53, -2 ^ 53 } do
      local place64 = long(0):fill(place)
      fails('csrTransposedMatmul: columns: index out of range', torch.csrTransposedMatmul, long(1, 2), place64, ones, torch.ones(1, 2), 3)
      fails('bsrMatmul: columns: index out of range', torch.bsrMatmul, long(1, 2), place64, blocks, x)
      fails('bsrTransposedMatmul: columns: index out of range', torch.bsrTransposedMatmul, long(1, 2), place64, blocks, torch.ones(2), 9)
      local result = torch.ones(9):mul(7)
      fails('bsrTransposedMatmul: columns: ', torch.bsrTransposedMatmul, result, long(1, 2), place64, blocks, torch.ones(2), 9)
      assertSame(torch.ones(9):mul(7), result)
      fails('bsrSampled: columns: ', torch.bsrSampled, long(1, 2), place64, torch.ones(2, 1), torch.ones(9, 1), 2, 3)
    end
    fails('bsrMatmul: rows: 3 at the end, expected 2', torch.bsrMatmul, long(1, 3), long(1), blocks, x)
    fails('bsrMatmul: rows: 1 at place 3, expected 2 or more', torch.bsrMatmul, long(1, 2, 1, 2), long(1), blocks, x)
    fails('csrTransposedMatmul: rows: 2 at place 1, expected 1', torch.csrTransposedMatmul, long(2, 2), long(1), ones, torch.ones(1), 3)
  end)

  it('refuse sizes that do not fit', function()
    fails('bsrMatmul: x: .*expected a multiple of 3 rows, the columns of a block', torch.bsrMatmul, long(1, 2), long(1), blocks,
      torch.ones(5))
    fails('bsrMatmul: blocks: .*expected %[blocks, rows, columns%]', torch.bsrMatmul, long(1, 2), long(1), torch.ones(1, 2), x)
    fails('bsrMatmul: blocks: .*expected 1 blocks, one for each column', torch.bsrMatmul, long(1, 2), long(1), torch.ones(2, 2, 3), x)
    fails('bsrTransposedMatmul: count: 5, expected a multiple of 3', torch.bsrTransposedMatmul, long(1, 2), long(1), blocks,
      torch.ones(2), 5)
    fails('bsrTransposedMatmul: x: .*expected 2 rows', torch.bsrTransposedMatmul, long(1, 2), long(1), blocks, torch.ones(3), 6)
    fails('csrTransposedMatmul: count: %-1, expected 0 to', torch.csrTransposedMatmul, long(1, 2), long(1), ones, torch.ones(1), -1)
    fails('bsrSampled: r: 0, expected 1 or more', torch.bsrSampled, long(1, 2), long(1), torch.ones(2, 1), torch.ones(3, 1), 0, 3)
    fails('bsrSampled: a: .*expected 2 rows', torch.bsrSampled, long(1, 2), long(1), torch.ones(3, 1), torch.ones(3, 1), 2, 3)
    fails('bsrMatmul: rows: 3 blocks of 4611686018427387904, expected at most', torch.bsrMatmul, long(1, 1, 1, 1), torch.LongTensor(0),
      torch.DoubleTensor(0, 4611686018427387904LL, 1), torch.ones(2))
    fails('diaMatmul: data: .*expected 2 rows, one for each offset', torch.diaMatmul, torch.ones(1, 3), long(0, 1), torch.ones(3), 3)
    fails('diaSampled: b: .*expected rows of 2 elements', torch.diaSampled, long(0), torch.ones(3, 2), torch.ones(3, 1), 3)
  end)

  it('ignore diagonals outside of a matrix, however far', function()
    local far = torch.LongTensor { 0, 9223372036854775807LL, -9223372036854775807LL - 1, 3, -3 }
    local data = torch.range(1, 15):view(5, 3)
    assertSame(torch.Tensor { 1, 2, 3 }, torch.diaMatmul(data, far, torch.ones(3), 3))
    assertSame(torch.Tensor { 1, 2, 3 }, torch.diaMatmul(data, far, torch.ones(3), 3, true))
    local sampled = torch.diaSampled(far, torch.ones(3, 2), torch.ones(3, 2), 3)
    assertSame(torch.Tensor { { 2, 2, 2 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, sampled)
  end)

  it('report a result beyond memory', function()
    local most = 2 ^ 53
    assert.is_false(pcall(torch.csrTransposedMatmul, long(1, 2), long(1), ones, torch.ones(1), most))
    assert.is_false(pcall(torch.diaMatmul, torch.ones(1, 1), long(0), torch.ones(1), most))
    assert.is_false(pcall(torch.diaSampled, long(0), torch.ones(1, 1), torch.ones(1, 1), most))
    assert.is_false(pcall(torch.csrTransposedMatmul, long(1, 2), long(1), ones, torch.ones(1), 2 ^ 60))
  end)
end)
