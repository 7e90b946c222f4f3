-- Sparse tensors: SciPy's figures, dense tensors, gradients, and errors.
local torch = require 'torch'
local figures = require 'spec.torch.sparse_figures'
local close = require 'spec.support.close'
local assertClose = close.within { rtol = 1e-13, atol = 1e-13 }

local function matrix(of)
  return torch.sparse.csr(torch.LongTensor(of.rows), torch.LongTensor(of.columns), torch.DoubleTensor(of.values), of.sizes)
end

local function assertEntries(expected, s)
  s = s:csr():coalesce()
  assert.same(expected.sizes, s:size():totable())
  assert.same(expected.rows, s:rows():totable())
  assert.same(expected.columns, s:columns():totable())
  assertClose(torch.DoubleTensor(expected.values), s:values())
end

local a, b, c = matrix(figures.a), matrix(figures.b), matrix(figures.c)
local x = torch.DoubleTensor(figures.x):view(7, 3)

-- A random tensor of few elements other than 0.
local function few(...)
  local dense = torch.DoubleTensor(...):normal()
  return dense:cmul(torch.lt(torch.DoubleTensor(...):uniform(), 0.3):double())
end

for _, format in ipairs { 'coo', 'csr', 'csc' } do
  describe('a sparse matrix, ' .. format, function()
    local s, t, u = a:sparse(format), b:sparse(format), c:sparse(format)

    it('has the products that SciPy has', function()
      assertClose(torch.DoubleTensor(figures.mv), torch.mv(s, x:select(2, 1):contiguous()))
      assertClose(torch.DoubleTensor(figures.mm):view(5, 3), torch.mm(s, x))
      assertClose(torch.DoubleTensor(figures.mm):view(5, 3), s * x)
      assertClose(torch.DoubleTensor(figures.left):view(3, 4), x:t() * u)
      assertClose(torch.DoubleTensor(figures.left):view(3, 4)[2], x:select(2, 2) * u)
      assertEntries(figures.product, s * u)
      assertEntries(figures.gram, torch.mm(s, s:t()))
      assert.equal(format, (s * u):format())
    end)

    it('has the elements that SciPy has', function()
      assertEntries(figures.sum, s:add(t, 2))
      assertEntries(figures.sum, s + 2 * t)
      assertEntries(figures.difference, s - t)
      assertEntries(figures.elementwise, torch.cmul(s, t):prune())
      assertEntries(figures.transposed, s:t())
      assertEntries(figures.tanh, torch.tanh(s))
      assert.equal(format, (s + t):format())
      assert.equal(format, s:t():format())
    end)

    it('has the parts that SciPy has', function()
      assertEntries(figures.rows, s:indexRows(torch.LongTensor { 5, 1, 5 }))
      assertEntries(figures.part, s:narrow(1, 2, 3))
      assertEntries(figures.columns, s:narrow(2, 3, 4))
      assertClose(figures.diagonal, s:diag())
      assertClose({ s:dense()[4]:totable() }, { s:select(1, 4):dense():totable() })
    end)

    it('has elements and parts by brackets', function()
      local dense = s:dense()
      for i = 1, 5 do
        for j = 1, 7 do assert.equal(dense[{ i, j }], s[{ i, j - 8 }]) end
        assertClose(dense[i], s[i]:dense())
      end
      assertClose(dense[{ {}, -2 }], s[{ {}, -2 }]:dense())
      assertClose(dense[{ { 2, 4 }, { 3 } }], s[{ { 2, 4 }, { 3 } }]:dense())
      assert.equal(format, s[{ { 2, -1 } }]:format())
      assertClose(dense[-1], s:select(-2, -1):dense())
    end)

    it('has the reductions that SciPy has', function()
      assertClose(torch.DoubleTensor(figures.sums1):view(1, 7), s:sum(1))
      assertClose(torch.DoubleTensor(figures.sums2):view(5, 1), s:sum(2))
      assertClose(torch.DoubleTensor(figures.means2):view(5, 1), s:mean(2))
      assertClose(figures.norm, { s:norm() })
      assertClose({ figures.largest[1], figures.least[1] }, { s:max(), s:min() })
      assertClose({ s:dense():sum(), s:dense():mean() }, { s:sum(), s:mean() })
    end)

    it('equals itself in other formats, and in files', function()
      assert.is_true(s:equal(s:coo()) and s:equal(s:csr()) and s:equal(s:clone()) and not s:equal(t))
      assert.is_true(s:dense():sparse():equal(s) and s:dense():sparse(format):equal(s))
      local name = os.tmpname()
      torch.save(name, { s })
      local read = torch.load(name)[1]
      os.remove(name)
      assert.equal(torch.typename(s), torch.typename(read))
      assert.is_true(s:equal(read))
    end)

    it('has values of a type', function()
      assert.equal('torch.FloatTensor', s:float():type())
      assert.equal('torch.FloatTensor', (s:float() * x:float()):type())
      assert.equal('torch.DoubleTensor', (s:float() + t):type())
      assert.equal('torch.FloatTensor', s:typeAs(torch.FloatTensor()):dense():type())
    end)

    it('has gradients of values and of dense factors', function()
      local values, factor = s:values():clone():requiresGrad(), x:clone():requiresGrad()
      local w = torch.DoubleTensor(5, 3):normal()
      local tracked = s:_with(values)
      torch.sum(torch.cmul(tracked * factor, w)):backward()
      local dense, same = s:dense():requiresGrad(), x:clone():requiresGrad()
      torch.sum(torch.cmul(dense * same, w)):backward()
      assertClose(same.grad, factor.grad)
      assertClose(s:cmul(dense.grad):dense(), (s:cmul(tracked:grad())):dense())
    end)
  end)
end

describe('gradients of values', function()
  -- Each function of a sparse and of a dense tensor, whose results' sum over weights has gradients in both.
  local cases = {
    ['sums'] = function(p, q) return p + q * 3 end,
    ['products of elements'] = function(p, q) return torch.cmul(p, q) end,
    ['products'] = function(p, q) return p * q:t() end,
    ['a function'] = function(p, q) return torch.sin(p) - torch.square(q) end,
    ['parts'] = function(p, q) return (p:narrow(1, 2, 3) + q:narrow(1, 1, 3)) end,
    ['sums of a dimension'] = function(p, q) return torch.sum(p, 1) + torch.sum(torch.cmul(p, q), 1) end,
  }
  for name, f in pairs(cases) do
    for _, format in ipairs { 'coo', 'csr', 'csc' } do
      it(('go through %s, %s'):format(name, format), function()
        local p, q = few(4, 5), few(4, 5)
        for _, own in ipairs { p, q } do own[1][1], own[2][3] = 0.7, -0.4 end       -- entries in common
        local P, Q = p:sparse(format), q:sparse(format)
        P:requiresGrad()
        Q:requiresGrad()
        local dense = { p:clone():requiresGrad(), q:clone():requiresGrad() }
        local expected = f(dense[1], dense[2])
        local w = torch.DoubleTensor(expected:size()):normal()
        torch.sum(torch.cmul(expected, w)):backward()
        local result = f(P, Q)
        if not torch.isTensor(result) then result = result:dense() end
        assertClose(expected:detach(), result:detach())
        torch.sum(torch.cmul(result, w)):backward()
        local mask = { p:ne(0):double(), q:ne(0):double() }
        assertClose(torch.cmul(dense[1].grad, mask[1]), P:grad():dense())
        assertClose(torch.cmul(dense[2].grad, mask[2]), Q:grad():dense())
      end)
    end
  end

  it('go from sparse tensors to the dense ones that they came from', function()
    local dense = few(3, 4):requiresGrad()
    torch.sum(torch.square(dense:sparse():dense())):backward()
    assertClose(dense:detach() * 2, dense.grad)
  end)
end)

describe('torch.sparse.coo', function()
  it('adds up entries of the same place, in any number of dimensions', function()
    for dims = 1, 4 do
      local sizes, count = {}, 60
      for d = 1, dims do sizes[d] = d + 1 end
      local indices, values = torch.LongTensor(dims, count), torch.DoubleTensor(count):normal()
      for d = 1, dims do indices[d]:copy(torch.LongTensor(count):random(sizes[d])) end
      local expected = torch.DoubleTensor(torch.LongStorage(sizes)):zero()
      for e = 1, count do
        local place = {}
        for d = 1, dims do place[d] = tonumber(indices[d][e]) end
        local key = torch.LongStorage(place)
        expected[key] = expected[key] + values[e]
      end
      local s = torch.sparse.coo(indices, values, sizes)
      assertClose(expected, s:dense())
      assertClose(expected, s:coalesce():dense())
      local places = s:coalesce():indices()
      assert.is_true(s:coalesce():isCoalesced() and places:size(2) <= expected:nElement())
      assert.same(places:totable(), s:coalesce():dense():sparse():indices():totable())
      if dims > 1 then assertClose(expected:transpose(1, dims), s:transpose(1, dims):dense()) end
      for d = 1, dims do assertClose(expected:sum(d), s:sum(d)) end
    end
  end)

  it('sorts places of dimensions that are larger than the number of entries', function()
    local s = torch.sparse.coo(torch.LongTensor { { 900000000, 5, 900000000 }, { 7, 1000, 3 } }, torch.Tensor { 1, 2, 3 }, { 1e9, 1000 })
    assert.same({ { 5, 900000000, 900000000 }, { 1000, 3, 7 } }, s:coalesce():indices():totable())
    assert.same({ 2, 3, 1 }, s:coalesce():values():totable())
  end)

  it('takes the largest indices as sizes', function()
    assert.same({ 4, 2 }, torch.sparse.coo(torch.LongTensor { { 4, 1 }, { 1, 2 } }, torch.Tensor { 1, 2 }):size():totable())
    assert.same({ 2, 9 }, torch.sparse.csr(torch.LongTensor { 1, 2, 3 }, torch.LongTensor { 9, 1 }, torch.Tensor { 1, 2 }):size():totable())
  end)

  it('has results without entries', function()
    local none = torch.sparse.coo(torch.LongTensor(2, 0), torch.Tensor(0), { 3, 4 })
    for _, s in ipairs { none, none:csr() } do
      assert.equal(0, s:dense():norm())
      assert.equal(0, (s * torch.ones(4, 2)):norm())
      assert.equal(0, (s * s:t()):nnz())
      assert.equal(0, (s + s):nnz() + s:cmul(s):nnz() + s:t():nnz() + s:narrow(1, 2, 1):nnz() + s:prune():nnz())
      assert.equal(0, s:max() + s:min() + s:norm())
      assert.equal(0, s:sum(1):norm() + s:diag():norm())
      assert.is_true(s:equal(s:clone()))
    end
  end)

  it('prints its entries', function()
    local s = torch.sparse.coo(torch.LongTensor { { 1, 3 }, { 2, 1 } }, torch.Tensor { 5, 0.25 }, { 3, 2 })
    assert.equal('(1, 2)  5\n(3, 1)  0.25\n[sparse torch.DoubleTensor of size 3x2, coo, 2 entries]', tostring(s))
    local many = torch.sparse.coo(torch.range(1, 100):long():view(1, 100), torch.ones(100))
    assert.matches('\n%.%.%. 60 entries more\n', tostring(many))
    assert.matches('^%(1, 1%)  1\n', tostring(torch.eye(2):sparse():requiresGrad()))
  end)
end)

describe('errors of sparse tensors', function()
  local long = torch.LongTensor
  local function refuses(pattern, f, ...)
    local arguments = { ... }
    assert.error_matches(function() f(unpack(arguments)) end, pattern)
  end

  it('name what is wrong with brackets', function()
    local s = torch.eye(2, 3):sparse()
    local function at(key) return s[key] end
    for _, row in ipairs {
      { 3, '3: out of range for dimension 1 of size 2' }, { { 1, 4 }, '4: out of range for dimension 2 of size 3' },
      { { 1, 1, 1 }, 'too many indices provided: 3 for 2 dimensions' }, { { 'a' }, "'a', expected whole numbers as positions" },
      { 1.5, '1.5, expected whole numbers as positions' }, { { { 2, 1 } }, 'from 2 to 1: out of range for dimension 1 of size 2' },
      { { { 1, 2, 1 } }, 'a range of 3 numbers, expected { first, last }' }, { true, 'true, expected a position, or a list of positions' },
      { long { 1 }, 'a torch.LongTensor, expected a position' },
    } do refuses('index: key: ' .. row[2], at, row[1]) end
    refuses('index: self: a sparse tensor, whose elements no assignment changes', function() s[1] = 2 end)
    refuses('select: dim: 3, expected a whole number from %-2 to 2', s.select, s, 3, 1)
    refuses('select: position: 4, expected a whole number from %-3 to 3', s.select, s, 2, 4)
    refuses('select: position: 0, expected one from 1', s.select, s, 1, 0)
    assert.is_nil(s.noMethod)
    for _, f in ipairs { function() s:type 'x' end, function() s:type 'torch.LongTensor' :requiresGrad() end } do
      local _, message = pcall(f)
      assert.matches('sparse_spec.lua:%d+: .*, expected', message)
    end
  end)

  it('name what is wrong with parts', function()
    local coo, csr, two = torch.sparse.coo, torch.sparse.csr, torch.Tensor { 1, 2 }
    refuses('torch%.sparse%.coo: indices: 4 in row 2, expected 1 to 3', coo, long { { 1, 1 }, { 1, 4 } }, two, { 1, 3 })
    refuses('torch%.sparse%.coo: indices: 0 in row 1, expected 1 to 9', coo, long { { 0, 1 } }, two, { 9 })
    refuses('torch%.sparse%.coo: values: sizes %[2%], expected %[3%]', coo, long { { 1, 2, 3 } }, two, { 9 })
    refuses('torch%.sparse%.coo: indices: a torch.DoubleTensor, expected a torch.LongTensor', coo, two:view(1, 2), two, { 9 })
    refuses('torch%.sparse%.coo: indices: 1 rows, expected 2', coo, long { { 1, 2 } }, two, { 9, 9 })
    refuses('torch%.sparse%.coo: sizes: .* expected at most 2^53', coo, long { { 1, 2 }, { 1, 2 } }, two, { 1e9, 1e9 })
    refuses('torch%.sparse%.coo: sizes: nil', coo, long(2, 0), torch.Tensor(0))
    refuses('torch%.sparse%.csr: rows: from 2 to 3, expected from 1 to 3', csr, long { 2, 3, 3 }, long { 1, 2 }, two)
    refuses('torch%.sparse%.csr: rows: some are less', csr, long { 1, 3, 2, 3 }, long { 1, 2 }, two)
    refuses('torch%.sparse%.csr: columns: 1 to 8, expected 1 to 5', csr, long { 1, 3 }, long { 1, 8 }, two, { 1, 5 })
    refuses('torch%.sparse%.csr: rows: 3 elements, expected 5', csr, long { 1, 2, 3 }, long { 1, 1 }, two, { 4, 5 })
  end)

  it('name places outside of a tensor that is written or read', function()
    local name = os.tmpname()
    local function changed(format, part)
      local s = torch.eye(3):sparse(format, 1, 1)
      s[part](s):fill(9)
      return s
    end
    refuses('torch%.sparse%.saveMtx: x: columns: 9 to 9, expected 1 to 3', torch.sparse.saveMtx, name, changed('csr', 'columns'))
    for format, part in pairs { coo = 'indices', csr = 'columns', csc = 'rows', bsr = 'columns' } do
      torch.save(name, changed(format, part))
      refuses(('torch%%.load: .*: torch%%.sparse%%.%s: %s: 9 [%%w ]+, expected 1 to 3'):format(format, part), torch.load, name)
    end
    local s = torch.eye(2):sparse 'csr'
    s:columns():copy(long { 2, 1 })
    s:rows():copy(long { 1, 3, 3 })
    torch.save(name, s)
    assert.same({ { 1, 1 }, { 0, 0 } }, torch.load(name):coalesce():dense():totable())
    os.remove(name)
  end)

  it('name the sizes that do not fit', function()
    refuses('mm: other: 5 rows, expected 7', function() return a * b end)
    refuses('mm: other: 3 rows, expected 7', function() return torch.mm(a, torch.ones(3, 3)) end)
    refuses('add: other: sizes %[7, 4%], expected %[5, 7%]', function() return a + c end)
    refuses('cmul: other: sizes %[2, 2%], expected %[5, 7%]', function() return torch.cmul(a, torch.ones(2, 2)) end)
    refuses('exp: a sparse tensor, which this op does not accept', torch.exp, a)
    refuses('mm: arguments: .*torch.SparseCSR', function() return torch.Tensor(2, 2):mm(a, c) end)
    refuses('add: arguments: .*torch.SparseCSR', function() return torch.Tensor(5, 7):add(a) end)
    refuses('narrow: count: 5, expected a whole number from 0 to 4', function() return a:narrow(1, 2, 5) end)
    refuses('indexRows: index: 1 to 6, expected 1 to 5', function() return a:indexRows(long { 1, 6 }) end)
    refuses('t: self: 1 dimensions, expected a matrix', function() return torch.sparse.coo(long { { 1 } }, torch.ones(1)):t() end)
  end)

  it('name operands and sizes that make no sense', function()
    local csr, v = torch.eye(3):sparse 'csr', torch.ones(3)
    refuses('^mm: x: number, expected a tensor', torch.mm, 2, csr)
    refuses('^matmul: x: table, expected a tensor', torch.matmul, {}, csr)
    refuses('%*: the left operand: table, expected a tensor', function() return {} * csr end)
    refuses('^addmm: a: nil, expected a tensor or a sparse tensor', torch.addmm, csr)
    refuses('^addmm: b: 2, expected a tensor or a sparse tensor', torch.addmm, v, csr, 2)
    refuses('^addmm: m: 1 dimensions, expected a matrix', torch.addmm, v, csr, csr)
    refuses('torch.sparse.sampledAddmm: a: nil, expected a tensor', torch.sparse.sampledAddmm, csr)
    refuses('smm: b: nil, expected a sparse matrix', torch.smm, csr)
    refuses('sspaddmm: b: 2, expected a sparse matrix', torch.sspaddmm, csr, csr, 2)
    refuses('torch.sparse.spdiags: offsets: a torch.SparseCSR, expected whole numbers', torch.sparse.spdiags, v, csr)
    refuses("torch.sparse.spdiags: offsets: 'x', expected a whole number", torch.sparse.spdiags, v, { 'x' }, 3)
    refuses('torch.sparse.spdiags: sizes: nil, expected a table', torch.sparse.spdiags, v, 0)
    refuses('torch.sparse.eye: sizes: inf places, expected at most 2^53', torch.sparse.eye, 1e300)
    refuses('nonzeroStatic: size: 1e%+300, expected a number of positions for which there is memory', torch.nonzeroStatic, v, 1e300)
    refuses('LaplacianNd: shape: 1e%+300 points, expected a matrix of at most 2^53 places', torch.linalg.LaplacianNd, { 1e300 })
    refuses('LaplacianNd: shape: 1e%+08 points', torch.linalg.LaplacianNd, { 1e4, 1e4 })
    local ones, two = torch.ones(3, 3), torch.eye(3):mul(2)
    local expected = torch.addmm(ones, ones, two):totable()
    assert.same(expected, torch.addmm(ones:sparse(), ones, two):totable())
    assert.same(expected, torch.addmm(ones, ones:sparse(), two:sparse()):totable())
  end)

  it('reach ops whose rows do not fit their entries', function()
    local ones = torch.ones(2)
    refuses('csrMatmul: rows: 3 at place 1, expected 1', torch.csrMatmul, long { 3, 3 }, long { 1, 1 }, ones, ones)
    refuses('csrMatmul: rows: 1 at place 3, expected 2 or more', torch.csrMatmul, long { 1, 2, 1, 3 }, long { 1, 1 }, ones, ones)
    refuses('csrSampled: rows: 9 at the end, expected 3', torch.csrSampled, long { 1, 9 }, long { 1, 1 }, ones:view(2, 1):narrow(1, 1, 1),
      ones:view(2, 1))
    refuses('csrExpand: rows: 9 at the end, expected 3', torch.csrExpand, long { 1, 9 }, 2)
    refuses('bucketSort: index: .*3', torch.bucketSort, long { 1, 3 }, 2)
    refuses('csrProduct: bRows: 9 at the end', torch.csrProduct, long { 1, 3 }, long { 1, 1 }, ones, long { 1, 9 }, long { 1, 1 }, ones, 2)
    refuses('csrProduct: width: 4611686018427387904, expected 0 to', torch.csrProduct, long { 1 }, long(0), long(0), long { 1 }, long(0),
      long(0), 2 ^ 62)
    refuses('csrProduct: width: %-1', torch.csrProduct, long { 1, 3 }, long { 1, 1 }, ones, long { 1, 3 }, long { 1, 1 }, ones, -1)
  end)
end)

describe('products of sparse matrices much wider than their entries', function()
  local long, width = torch.LongTensor, 1e15
  local left = { long { 1, 3, 3, 4 }, long { 1, 3, 2 }, torch.DoubleTensor { 2, 3, 5 } }
  local right = { long { 1, 3, 4, 6 }, long { 7, 1e14, 7, 1e15, 42 }, torch.DoubleTensor { 1, 2, 4, 8, 16 } }

  it('have memory for the columns in use alone', function()
    local factor = torch.sparse.csr(right[1], right[2], right[3], { 3, width })
    local product = torch.mm(torch.sparse.csr(left[1], left[2], left[3], { 3, 3 }), factor):csr()
    assert.same({ 3, width }, product:size():totable())
    assert.same({ 1, 5, 5, 6 }, product:rows():totable())
    assert.same({ 7, 42, 1e14, 1e15, 7 }, product:columns():totable())
    assert.same({ 2, 48, 4, 24, 20 }, product:values():totable())
  end)

  it('have elements at places without entries', function()
    local rows, columns = long { 1, 3, 4, 5 }, long { 8, 42, 7, 1e15 }
    local elements = torch.csrProductAt(rows, columns, left[1], left[2], left[3], right[1], right[2], right[3], width)
    assert.same({ 0, 48, 0, 0 }, elements:totable())
  end)
end)

describe('products of large sparse matrices', function()
  it('are those of dense ones, for any number of threads', function()
    local threads = torch.getnumthreads()
    local p, q = few(150, 300), few(300, 5000)
    local P, Q = p:sparse 'csr', q:sparse 'csr'
    local close12 = close.within { rtol = 1e-12, atol = 1e-12 }
    local results = {}
    for n = 1, 3 do
      torch.setnumthreads(n)
      results[n] = { P * q, (P * Q):dense(), P * q:select(2, 3):contiguous(), torch.csrSampled(P:rows(), P:columns(), p, torch.eye(300)) }
      for i = 1, 4 do assert.is_true(torch.equal(results[1][i], results[n][i])) end
    end
    torch.setnumthreads(threads)
    close12(p * q, results[1][1])
    close12(p * q, results[1][2])
    close12(p * q:select(2, 3), results[1][3])
  end)
end)

describe('functions of sparse matrices', function()
  local sparse = torch.sparse
  local d = torch.Tensor { { 1, 0, 2 }, { 0, 0, 0 }, { 0, 3, -1 } }
  local close12 = close.within { rtol = 1e-12, atol = 1e-12 }

  it('have the names of PyTorch', function()
    local s, dense = d:sparse(), torch.randn(3, 2)
    close12(d * dense, sparse.mm(s, dense))
    close12(torch.ones(3, 2) * 2 + (d * dense) * 3, sparse.addmm(torch.ones(3, 2), s, dense, 2, 3))
    assert.equal(5, sparse.sum(s))
    close12(torch.sum(d, 1), sparse.sum(s, 1))
  end)

  it('divide by sums over the entries of rows or columns', function()
    for _, dim in ipairs { 1, 2 } do
      -- Places without an entry as minus infinity.
      local masked = torch.where(d:eq(0), -math.huge, d)
      local weights = torch.exp(masked)
      local sums = torch.sum(weights, dim)
      local expected = torch.cdiv(weights, torch.where(sums:eq(0), 1, sums):expandAs(weights))
      close12(expected, sparse.softmax(d:sparse(), dim):dense())
      close12(torch.log(torch.where(expected:eq(0), 1, expected)), sparse.logSoftmax(d:sparse(), dim):dense())
    end
    local s = sparse.softmax(torch.Tensor { { 1000, 1001 } }:sparse())
    close12(torch.Tensor { 1 / (1 + math.exp(1)), 1 / (1 + math.exp(-1)) }, s:values())
    close12(torch.Tensor { -2000, 0 }, sparse.logSoftmax(torch.Tensor { { -1000, 1000 } }:sparse()):values())
    assert.equal(0, sparse.softmax(torch.zeros(2, 2):sparse()):nnz())
    local tracked = torch.Tensor { { 1, 2 } }:sparse():csr():requiresGrad()
    torch.sum(torch.cmul(sparse.softmax(tracked):values(), torch.Tensor { 1, 0 }), 1):backward()
    local p = 1 / (1 + math.exp(1))
    close12(torch.Tensor { p * (1 - p), -p * (1 - p) }, tracked:grad():values())
    assert.error_matches(function() sparse.softmax(d:sparse(), 3) end, 'torch.sparse.softmax: dim: 3')
    assert.error_matches(function() sparse.softmax(d) end, 'torch.sparse.softmax: s: a torch.DoubleTensor')
  end)

  it('add Kronecker products and join blocks', function()
    local other = torch.Tensor { { 1, 2 }, { 3, 4 } }
    close12(torch.kron(torch.eye(2), d) + torch.kron(other, torch.eye(3)), sparse.kronsum(d:sparse(), other:sparse()):dense())
    close12(torch.cat(torch.cat(d, d, 2), torch.cat(d, torch.zeros(3, 3), 2), 1),
      sparse.bmat { { d:sparse(), d:sparse() }, { d:sparse(), torch.zeros(3, 3):sparse() } }:dense())
    local wide = torch.Tensor { { 1, 0, 2, 4 } }:sparse()
    local expected = sparse.blockDiag { wide, d:sparse() }
    assert.is_true(sparse.bmat({ { wide, nil }, { nil, d:sparse() } }):equal(expected))
    assert.is_true(sparse.bmat({ { wide, false }, { false, d:sparse() } }):equal(expected))
    for message, blocks in pairs {
      ['sizes %[1, 4%], expected 3 columns, as of others beside it'] = { { d:sparse() }, { wide } },
      ['row 2 has no matrix, expected one for its height'] = { { wide }, {} },
      ['column 1 has no matrix, expected one for its width'] = { { nil, wide } }, ['3, expected a sparse tensor'] = { { 3 } },
      ['a sparse tensor, expected rows of them'] = { wide }, ['expected one row or more'] = {},
    } do
      assert.error_matches(function() sparse.bmat(blocks) end, 'torch.sparse.bmat: blocks: ' .. message)
    end
    close12(torch.eye(4), sparse.identity(4):dense())
    assert.error_matches(function() sparse.kronsum(d:sparse(), torch.ones(2, 3):sparse()) end, 'torch.sparse.kronsum: b: size %[2, 3%]')
  end)
end)
