-- Sparse matrices in compressed columns, in blocks and of diagonals: conversions, products, gradients, complex values, and errors.
local torch, autograd = require 'torch', require 'autograd'
local assertClose = require('spec.support.close').within { rtol = 1e-13, atol = 1e-13 }

local sparse = torch.sparse
local formats = { 'coo', 'csr', 'csc', 'bsr', 'dia' }

-- A random matrix of few elements other than 0.
local function few(rows, columns)
  return torch.DoubleTensor(rows, columns):normal():cmul(torch.lt(torch.DoubleTensor(rows, columns):uniform(), 0.3):double())
end

local function made(x, format) return x:sparse(format, 2, 3) end

local a = few(8, 9)
a[3]:zero()

for _, format in ipairs(formats) do
  describe('a sparse matrix, ' .. format, function()
    local s = made(a, format)

    it('is the same in other formats', function()
      assert.equal(format, s:format())
      assertClose(a, s:dense())
      for _, other in ipairs(formats) do
        local t = s:sparse(other, 4, 3)
        assert.equal(other, t:format())
        assertClose(a, t:dense())
        assertClose(a, t:sparse(format, 1, 9):dense())
      end
      assert.is_true(s:prune():equal(a:sparse()))
      assert.same({ 8, 9 }, s:size():totable())
      assert.equal(s:nnz(), s:coo():nnz())
    end)

    it('has products', function()
      for _, x in ipairs { torch.randn(9):double(), torch.randn(9, 4):double(), torch.randn(9, 1):double(), torch.randn(9, 0):double() } do
        assertClose(a * x, s * x)
      end
      local left = torch.randn(2, 8):double()
      assertClose(left * a, left * s)
      assertClose(torch.mv(a:t(), left[1]), left[1] * s)
      local factor = torch.ones(1):double():mul(3):requiresGrad()
      assertClose(a * 3, (s * factor):dense():detach())
      for _, other in ipairs(formats) do
        local b = few(9, 6)
        assertClose(a * b, (s * b:sparse(other, 3, 2)):dense())
      end
      assert.equal('torch.FloatTensor', (s:float() * torch.randn(9, 2):float()):type())
      assert.equal('torch.DoubleTensor', (s:float() * torch.randn(9, 2):double()):type())
      assertClose(torch.mul(a, 3):floor() * torch.ones(9):double(), made(torch.mul(a, 3):floor():long(), format) * torch.ones(9):double())
    end)

    it('has the methods of others', function()
      local b = few(8, 9)
      for _, other in ipairs(formats) do
        local t = made(b, other)
        assertClose(a + b, (s + t):dense())
        assertClose(a - b, (s - t):dense())
        assertClose(torch.cmul(a, b), torch.cmul(s, t):dense())
      end
      assertClose(torch.cmul(a, b), torch.cmul(s, b):dense())
      assertClose(a * 2, (s * 2):dense())
      assert.equal(format, (s * 2):format())
      assertClose(-a, (-s):dense())
      assertClose(a:t():contiguous(), s:t():dense())
      assertClose(torch.sin(a), torch.sin(s):dense())
      assertClose(torch.square(a), s:square():dense())
      assertClose({ a:max(), a:min(), a:sum(), a:norm() }, { s:max(), s:min(), s:sum(), s:norm() })
      assertClose(a:sum(1), s:sum(1))
      assertClose(a:narrow(1, 3, 4), s:narrow(1, 3, 4):dense())
      assertClose(a:narrow(2, 3, 4), s:narrow(2, 3, 4):dense())
      assertClose(torch.diag(a), s:diag())
      assertClose(a[5], s:select(1, 5):dense())
      assertClose(a:index(1, torch.LongTensor { 8, 1 }), s:indexRows(torch.LongTensor { 8, 1 }):dense())
      assertClose(a, s:clone():dense())
      assert.is_true(s:equal(s:clone()))
      assert.matches('%[sparse torch.DoubleTensor of size 8x9, ' .. format, tostring(s))
      assert.is_true(sparse.isSparse(s) and torch.isTypeOf(s, 'torch.Sparse'))
    end)

    it('is in files', function()
      local name = os.tmpname()
      torch.save(name, { s })
      local read = torch.load(name)[1]
      os.remove(name)
      assert.equal(torch.typename(s), torch.typename(read))
      assertClose(a, read:dense())
    end)

    it('has gradients of values and of dense factors', function()
      local function product(values, x) return s:_with(values) * x end
      assert(autograd.gradcheck(product, { s:values():clone(), torch.randn(9, 2):double() }, { order = 2 }))
      assert(autograd.gradcheck(product, { s:values():clone(), torch.randn(9):double() }))
      for _, other in ipairs(formats) do
        assert(autograd.gradcheck(function(values) return s:_with(values):sparse(other, 2, 1):values() end, { s:values():clone() }))
      end
      local dense = a:clone():requiresGrad()
      torch.sum(torch.square(made(dense, format):values())):backward()
      assertClose(a * 2, dense.grad)
    end)

    it('has complex values', function()
      local z = torch.complex(a, few(8, 9))
      local t = made(z, format)
      local function near(x, y) assertClose(torch.viewAsReal(x:contiguous()), torch.viewAsReal(y:contiguous())) end
      near(z, t:dense())
      near(z:t(), t:t():dense())
      for _, x in ipairs { torch.complex(torch.randn(9, 2):double(), torch.randn(9, 2):double()),
        torch.complex(torch.randn(9):double(), torch.randn(9):double()) } do
        near(torch.matmul(z, x), t * x)
      end
      near(torch.mm(z, z:t():contiguous()), (t * t:t()):dense())
      near(z + a, (t + s):dense())
      near(torch.cmul(z, z), torch.cmul(t, t):dense())
      near(torch.conj(z), t:conj():dense())
      assertClose(torch.real(z):contiguous(), t:real():dense())
      assertClose(torch.imag(z):contiguous(), t:imag():dense())
      assertClose(torch.abs(z), torch.abs(t):dense())
      assertClose({ torch.norm(torch.abs(z)) }, { t:norm() })
      near(z * (1 + 2i), (t * (1 + 2i)):dense())
      near(z / 2i, (t / 2i):dense())
      assertClose({ torch.sum(torch.real(z)), torch.sum(torch.imag(z)) }, { t:sum().re, t:sum().im })
      assert.matches('%(%d, %d%)  %-?[%d.]+[+-][%d.]+i\n', tostring(t))
      local function product(values, x) return torch.viewAsReal(t:_with(torch.viewAsComplex(values)) * torch.viewAsComplex(x)) end
      assert(autograd.gradcheck(product, { torch.viewAsReal(t:values()):clone(), torch.randn(9, 2):double() }))
      assert(autograd.gradcheck(function(values)
        local u = t:_with(torch.viewAsComplex(values))
        return torch.viewAsReal((u * u:t()):values())
      end, { torch.viewAsReal(t:values()):clone() }))
    end)
  end)
end

describe('sparse matrices', function()
  local long = function(...) return torch.LongTensor { ... } end

  it('in compressed columns have columns and rows', function()
    local s = sparse.csc(long(1, 3, 3, 4), long(2, 1, 2), torch.DoubleTensor { 5, 6, 7 }, { 2, 3 })
    assertClose(torch.DoubleTensor { { 6, 0, 0 }, { 5, 0, 7 } }, s:dense())
    assert.is_false(s:isCoalesced())
    assert.same({ 1, 2, 2 }, s:coalesce():rows():totable())
    assert.same({ 1, 3, 3, 4 }, s:columns():totable())
    assert.is_true(s:ccolIndices() == s:columns() and s:rowIndices() == s:rows())
    assert.is_true(s:csr():crowIndices():size(1) == 3 and s:csr():colIndices():size(1) == 3)
    assert.same({ 2, 0 }, { s:sparseDim(), s:denseDim() })
    assert.same({ 2, 3 }, sparse.csc(long(1, 3, 3, 4), long(2, 1, 2), torch.ones(3)):size():totable())
    local twice = sparse.csc(long(1, 3), long(1, 1), torch.DoubleTensor { 5, 6 }, { 1, 1 })
    assert.equal(11, twice:max())
    assert.equal(11, (twice * torch.ones(1):double())[1])
  end)

  it('in blocks have rows, columns and the size of blocks', function()
    local s = sparse.bsr(long(1, 2, 3), long(2, 1), torch.range(1, 12):double():view(2, 2, 3), { 4, 6 })
    assert.same({ 2, 3 }, { s:blockSize() })
    assert.same({ 1, 2, 3 }, s:rows():totable())
    assert.same({ 2, 1 }, s:columns():totable())
    assert.is_true(s:crowIndices() == s:rows() and s:colIndices() == s:columns())
    assertClose(torch.DoubleTensor { { 0, 0, 0, 1, 2, 3 }, { 0, 0, 0, 4, 5, 6 }, { 7, 8, 9, 0, 0, 0 }, { 10, 11, 12, 0, 0, 0 } }, s:dense())
    assert.equal(12, s:nnz())
    local same = sparse.bsr(long(1, 3), long(1, 1), torch.ones(2, 1, 1), { 1, 1 })
    assert.equal(2, same:max())
    local none = torch.zeros(4, 6):sparse('bsr', 2)
    assert.same({ 0, 2, 2 }, none:values():size():totable())
    assertClose(torch.zeros(4):double(), none:double() * torch.ones(6):double())
  end)

  it('of diagonals have offsets and rows as long as the matrix', function()
    local s = torch.DoubleTensor { { 1, 0, 2 }, { 0, 0, 0 } }:sparse 'dia'
    assert.same({ 0, 2 }, s:offsets():totable())
    assert.same({ { 1, 0, 0 }, { 0, 0, 2 } }, s:values():totable())
    assert.equal(3, s:nnz())
    -- Data may be shorter or longer than the matrix is wide; diagonals may be outside of it.
    local shorter = sparse.dia(torch.DoubleTensor { { 1, 2 }, { 3, 4 }, { 5, 6 } }, long(0, -1, 7), { 3, 4 })
    assertClose(torch.DoubleTensor { { 1, 0, 0, 0 }, { 3, 2, 0, 0 }, { 0, 4, 0, 0 } }, shorter:dense())
    assertClose(shorter:dense() * torch.ones(4):double(), shorter * torch.ones(4):double())
    local longer = sparse.dia(torch.DoubleTensor { { 1, 2, 3, 4, 5 } }, long(1), { 3, 3 })
    assertClose(torch.DoubleTensor { { 0, 2, 0 }, { 0, 0, 3 }, { 0, 0, 0 } }, longer:dense())
    local none = torch.zeros(2, 3):sparse 'dia'
    assertClose(torch.zeros(2):double(), none:double() * torch.ones(3):double())
    assertClose(torch.zeros(2, 3):double(), sparse.dia(torch.ones(1, 3):double(), long(5), { 2, 3 }):dense())
  end)

  it('name what does not fit', function()
    local ones = torch.ones(2, 2, 2)
    local function fails(text, f, ...)
      local arguments = { ... }
      assert.error_matches(function() f(unpack(arguments)) end, text)
    end
    fails('torch.sparse.csc: columns: 2 elements, expected 4, one for each column and one more', sparse.csc, long(1, 2), long(1),
      torch.ones(1), { 2, 3 })
    fails('torch.sparse.csc: rows: 3 to 3, expected 1 to 2, the number of rows', sparse.csc, long(1, 2), long(3), torch.ones(1), { 2, 1 })
    fails('torch.sparse.csc: values: sizes %[2%], expected %[1%]', sparse.csc, long(1, 2), long(3), torch.ones(2))
    fails('torch.sparse.bsr: blocks: 1 dimensions, expected %[blocks, rows, columns%]', sparse.bsr, long(1, 2), long(1), torch.ones(1))
    fails('torch.sparse.bsr: blocks: 2, expected 1, one for each column', sparse.bsr, long(1, 2), long(1), ones)
    fails('torch.sparse.bsr: sizes: %[3, 2%], expected multiples of %[2, 2%]', sparse.bsr, long(1, 3), long(1, 1), ones, { 3, 2 })
    fails('torch.sparse.bsr: columns: 1 to 2, expected 1 to 1, the number of columns', sparse.bsr, long(1, 3), long(1, 2), ones, { 2, 2 })
    fails('torch.sparse.dia: offsets: 1 occurs twice', sparse.dia, torch.ones(2, 2), long(1, 1), { 2, 2 })
    fails('torch.sparse.dia: data: sizes %[2%], expected a matrix with 2 rows, one for each offset', sparse.dia, torch.ones(2), long(1, 0),
      { 2, 2 })
    fails('torch.sparse.dia: sizes: ', sparse.dia, torch.ones(2, 2), long(1, 0))
    fails('bsr: self: sizes %[3, 3%], expected multiples of %[2, 2%]', function() torch.eye(3):sparse():bsr(2) end)
    fails('bsr: rows: nil, expected', function() torch.eye(3):sparse():bsr() end)
    fails("sparse: format: 'dok', expected", function() torch.eye(3):sparse 'dok' end)
    fails('mm: other: 2 rows, expected 3, the number of columns', function() return torch.eye(3):sparse 'dia' * torch.ones(2) end)
    fails('mm: other: 2 rows, expected 3, the number of columns', function() return torch.eye(3):sparse('bsr', 1) * torch.ones(2) end)
    fails('dimensions, expected a matrix', function() torch.ones(2, 2, 2):sparse 'dia' end)
  end)
end)

describe("SciPy's and PyTorch's names", function()
  local x = torch.DoubleTensor { { 0, 2, 0 }, { 3, 0, 4 } }

  it('convert and ask', function()
    for _, format in ipairs(formats) do
      for _, form in ipairs { 'Array', 'Matrix' } do
        local s = sparse[format .. form](x:sparse(), format == 'bsr' and 1 or nil)
        assert.equal(format, s:format())
        assertClose(x, s:dense())
      end
      local s = x:sparse(format, 1)
      for _, other in ipairs(formats) do
        assert.equal(format == other, sparse['isspmatrix' .. other:gsub('^%l', string.upper)](s))
      end
      assert.is_true(sparse.issparse(s) and sparse.isspmatrix(s))
    end
    assert.is_false(sparse.issparse(x) or sparse.isspmatrix(x) or sparse.isspmatrix(torch.ones(2, 2, 2):sparse()))
    assert.equal('csr', sparse.csrArray(x):format())
    assertClose(torch.DoubleTensor { { 0, 5 } }, sparse.cooArray(torch.LongTensor { { 1 }, { 2 } }, torch.DoubleTensor { 5 }):dense())
    assertClose(torch.DoubleTensor { { 1, 5, 0 }, { 0, 2, 6 } }, sparse.spdiags(torch.DoubleTensor { { 1, 2, 3 }, { 4, 5, 6 } },
      torch.LongTensor { 0, 1 }, { 2, 3 }):dense())
    assertClose(torch.DoubleTensor { { 0, 2 }, { 0, 0 } }, sparse.spdiags(torch.DoubleTensor { 1, 2 }, 1, 2, 2):dense())
  end)

  it('move dimensions', function()
    local t = few(2, 12):view(2, 3, 4)
    local s = t:sparse()
    assertClose(t:permute(3, 1, 2):contiguous(), sparse.permuteDims(s, { 3, 1, 2 }):dense())
    assertClose(t:permute(3, 2, 1):contiguous(), sparse.permuteDims(s):dense())
    assertClose(t:transpose(1, 3):contiguous(), sparse.swapaxes(s, 1, 3):dense())
    assertClose(t:view(2, 1, 3, 4), sparse.expandDims(s, 2):dense())
    assertClose(t:view(2, 3, 4, 1), sparse.expandDims(s, 4):dense())
    assert.equal('csr', sparse.permuteDims(x:sparse 'csr'):format())
    assert.error_matches(function() sparse.permuteDims(s, { 1, 1, 2 }) end, 'permuteDims: order: 1 occurs twice')
    assert.error_matches(function() sparse.permuteDims(s, { 1, 2 }) end, 'permuteDims: order: 2 dimensions, expected 3')
    assert.error_matches(function() sparse.expandDims(s, 5) end, 'expandDims: dim: 5, expected')
  end)

  it('multiply, mask and count', function()
    local b = torch.randn(3, 2):double()
    assertClose(x * b, torch.smm(x:sparse(), b):dense())
    assertClose(x * b, torch.spmm(x:sparse 'csr', b))
    local m = few(2, 2)
    assertClose(m * 2 + (x * b) * 3, torch.sspaddmm(m:sparse(), x:sparse(), b, 2, 3):dense())
    assert.error_matches(function() torch.smm(x, b) end, 'smm: a: .*, expected a sparse matrix')
    for _, format in ipairs(formats) do
      assertClose(torch.cmul(x, x:ne(0):double()), torch.mul(x, 1):sparseMask(x:sparse(format, 1)):dense())
    end
    assert.error_matches(function() x:sparseMask(m:sparse()) end, 'sparseMask: x: sizes %[2, 3%], expected %[2, 2%]')
    assert.same({ { 1, 2 }, { 2, 1 } }, torch.nonzeroStatic(x, 2):totable())
    assert.same({ { 1, 2 }, { 2, 1 }, { 2, 3 }, { -1, -1 } }, torch.nonzeroStatic(x, 4):totable())
    local check = sparse.asSparseGradcheck(autograd.gradcheck)
    assert(check(function(s, y) return torch.square(s) * y end, { x:sparse 'csr', b }))
    assert(check(function(s) return torch.sin(s) end, { x:sparse() }))
    assert.is_falsy(check(function(s) return s:_with(torch.cmul(s:values(), s:values():detach())) end, { x:sparse() }))
  end)
end)
