-- Sparse matrices in files and of known patterns: SciPy's files and matrices, and files that are damaged.
local torch = require 'torch'
local close = require 'spec.support.close'
local files = require 'spec.support.files'
local scipy = require 'spec.torch.sparse_files'
local assertClose = close.within { rtol = 1e-15, atol = 0 }
local sparse = torch.sparse

local function withFile(contents, f, extension)
  local name = os.tmpname()
  local full = name .. (extension or '')
  local file = assert(io.open(full, 'wb'))
  file:write(contents)
  file:close()
  local good, message = pcall(f, full)
  os.remove(full)
  os.remove(name)
  if not good then error(message, 0) end
end

local function bytes(hex) return (hex:gsub('%s', ''):gsub('%x%x', function(pair) return string.char(tonumber(pair, 16)) end)) end

local a, b = torch.DoubleTensor(scipy.a), torch.DoubleTensor(scipy.b)
local function complex(re, im) return torch.complex(torch.DoubleTensor(scipy[re]), torch.DoubleTensor(scipy[im])) end

describe('torch.sparse.loadMtx', function()
  local expected = {
    general = a, array = a, symmetric = torch.DoubleTensor { { 1, 2, 0 }, { 2, 0, -0.25 }, { 0, -0.25, 4 } },
    skew = torch.LongTensor { { 0, -3, 0 }, { 3, 0, 7 }, { 0, -7, 0 } },
    pattern = torch.DoubleTensor { { 1, 1, 0 }, { 1, 0, 1 }, { 0, 1, 1 } },
  }
  expected.symmetricArray = expected.symmetric
  expected.complex, expected.hermitian = complex('re', 'im'), complex('hermitianRe', 'hermitianIm')
  expected.complexArray, expected.hermitianArray = expected.complex, expected.hermitian
  expected.integers = torch.LongTensor { { 1, 2 }, { -3, 4 } }
  for name, x in pairs(expected) do
    it('reads what SciPy wrote: ' .. name, function()
      withFile(scipy[name], function(file)
        local read = sparse.loadMtx(file)
        assert.equal(not name:lower():find 'array' and name ~= 'integers', sparse.isSparse(read))
        assert.equal(x:type(), read:type())
        read = sparse.isSparse(read) and read:dense() or read
        if x:isComplex() then x, read = torch.viewAsReal(x), torch.viewAsReal(read) end
        assertClose(x, read)
      end)
    end)
  end

  it('reads a skew-symmetric array, carriage returns and empty lines', function()
    withFile('%%MatrixMarket matrix array real skew-symmetric\r\n% words\r\n\r\n2 2\r\n 5\r\n\r\n', function(file)
      assertClose(torch.DoubleTensor { { 0, -5 }, { 5, 0 } }, sparse.loadMtx(file))
    end)
  end)

  local head = '%%MatrixMarket matrix coordinate real general\n'
  local damaged = {
    ['']  = 'line 1: "", expected %%%%MatrixMarket',
    ['%%MatrixMarket matrix coordinate quaternion general\n1 1 0\n'] = 'line 1: quaternion, expected real, complex, integer or pattern',
    ['%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2\n'] = 'line 3: "1 1 2", expected row, column and value',
    ['%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 i\n'] = 'line 3: "i", expected a number',
    ['%%MatrixMarket matrix array complex general\n1 1\n1\n'] = 'line 3: "1", expected a real and an imaginary part',
    ['%%MatrixMarket matrix array pattern general\n1 1\n'] = 'line 1: pattern, expected',
    ['%%MatrixMarket matrix heap real general\n1 1\n'] = 'line 1: heap, expected coordinate or array',
    ['%%MatrixMarket matrix array real round\n1 1\n'] = 'line 1: round, expected general',
    [head .. '2 2\n'] = 'line 2: "2 2", expected rows, columns and entries',
    [head .. '2 2 900000000\n'] = 'line 2: 900000000 entries in %d+ bytes',
    [head .. '99999999999999999999 2 1\n1 1 1\n'] = 'line 2: 99999999999999999999, expected at most',
    [head .. '2 2 2\n1 1 1\n'] = 'line 4: the end of the file, expected entry 2 of 2',
    [head .. '2 2 1\n1 3 1\n'] = 'line 3: row 1, column 3, expected places of 2 x 2',
    [head .. '2 2 1\n0 1 1\n'] = 'line 3: row 0, column 1',
    [head .. '2 2 1\n1 1 one\n'] = 'line 3: "one", expected a number',
    [head .. '2 2 1\n1 1\n'] = 'line 3: "1 1", expected row, column and value',
    [head .. '2 2 1\n1 1 1\n2 2 2\n'] = 'line 3: "2 2 2" follows the last entry',
    ['%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n'] = 'line 3: row 1, column 2, expected a place below',
    ['%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n'] = 'line 2: 2 x 3, expected a square',
    ['%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n'] = 'line 3: "1.5", expected a number',
    ['%%MatrixMarket matrix array real general\n60000000 60000000\n'] = 'line 2: 3600000000000000 elements in',
    ['%%MatrixMarket matrix array real general\n2 1\n1\nos.exit()\n'] = 'line 4: "os.exit%(%)", expected a number',
  }
  for contents, message in pairs(damaged) do
    it('refuses a file with ' .. message, function()
      withFile(contents, function(file)
        assert.error_matches(function() sparse.loadMtx(file) end, 'torch%.sparse%.loadMtx: [^\n]*' .. message .. '[^\n]*$')
      end)
    end)
  end

  it('raises one error for files that are cut or changed anywhere', function()
    for _, contents in ipairs { scipy.general, scipy.symmetric, scipy.array, scipy.hermitian, scipy.complexArray } do
      for place = 1, #contents, 3 do
        for _, changed in ipairs { contents:sub(1, place), contents:sub(1, place) .. '\200' .. contents:sub(place + 2) } do
          withFile(changed, function(file)
            local good, message = pcall(sparse.loadMtx, file)
            assert.is_true(good or message:find '^[^\n]*torch%.sparse%.loadMtx: [^\n]*$' ~= nil, message)
          end)
        end
      end
    end
  end)
end)

describe('files of sparse matrices', function()
  for _, format in ipairs { 'coo', 'csr', 'csc', 'dia', 'bsr' } do
    it('give back what was written: ' .. format, function()
      local name = os.tmpname()
      for _, kind in ipairs { 'torch.DoubleTensor', 'torch.LongTensor' } do
        local s = torch.mul(a, 7):floor():type(kind):sparse(format, 1, 2)
        sparse.saveMtx(name, s)
        assert.is_true(sparse.loadMtx(name):equal(s))
        sparse.saveMtx(name, s:dense())
        assert.is_true(torch.equal(sparse.loadMtx(name), s:dense()))
        for _, compressed in ipairs { true, false } do
          sparse.saveNpz(name, s, { compressed = compressed })
          local read = sparse.loadNpz(name)
          assert.equal(format, read:format())
          assert.equal(kind, read:type())
          assert.is_true(read:equal(s))
          assert.same(s:values():totable(), read:values():totable())
        end
      end
      sparse.saveMtx(name, a:sparse(format, 3, 1))
      assertClose(a, sparse.loadMtx(name):dense())
      os.remove(name)
    end)

    it('of SciPy are read: ' .. format, function()
      withFile(bytes(scipy[format]), function(file)
        local read = sparse.loadNpz(file)
        assert.equal(format, read:format())
        local expected = format == 'bsr' and scipy.blocks or format == 'dia' and scipy.diaDense or scipy.a
        assertClose(torch.DoubleTensor(expected), read:dense())
      end)
    end)
  end

  it('of SciPy with complex numbers are read, and written', function()
    local z, name = complex('re', 'im'), os.tmpname()
    withFile(bytes(scipy.complexCsc), function(file)
      local read = sparse.loadNpz(file)
      assert.equal('torch.ComplexDoubleTensor', read:type())
      assertClose(torch.viewAsReal(z), torch.viewAsReal(read:dense()))
      sparse.saveNpz(name, read)
      assert.is_true(sparse.loadNpz(name):equal(read))
      sparse.saveMtx(name, read)
      assert.is_true(sparse.loadMtx(name):equal(read))
    end)
    os.remove(name)
  end)

  it('of Matrix Market have a part of symmetric matrices, as SciPy writes them', function()
    local name = os.tmpname()
    local function lines(text)
      return (text:gsub('([%d.]+E%-?%d+)', function(number) return ('%.17g'):format(tonumber(number)) end):gsub('%%\n', ''))
    end
    local matrices = { symmetric = torch.DoubleTensor { { 1, 2, 0 }, { 2, 0, -0.25 }, { 0, -0.25, 4 } },
      skew = torch.LongTensor { { 0, -3, 0 }, { 3, 0, 7 }, { 0, -7, 0 } }, hermitian = complex('hermitianRe', 'hermitianIm') }
    local words = { symmetric = 'symmetric', skew = 'skew-symmetric', hermitian = 'hermitian' }
    for key, x in pairs(matrices) do
      for _, symmetry in ipairs { words[key], 'auto' } do
        sparse.saveMtx(name, x:sparse(), { symmetry = symmetry, comment = '' })
        assert.equal(lines(scipy[key]), lines(files.read(name)))
        assert.is_true(sparse.loadMtx(name):equal(x:sparse()))
        sparse.saveMtx(name, x, { symmetry = symmetry })
        assert.is_true(torch.equal(sparse.loadMtx(name), x))
      end
    end
    sparse.saveMtx(name, matrices.symmetric:sparse(), { field = 'pattern', symmetry = 'symmetric', comment = 'of\nplaces' })
    assert.equal('%%MatrixMarket matrix coordinate pattern symmetric\n%of\n%places\n3 3 4\n1 1\n2 1\n3 2\n3 3\n', files.read(name))
    assertClose(matrices.symmetric:ne(0):double(), sparse.loadMtx(name):dense())
    assert.error_matches(function() sparse.saveMtx(name, a, { symmetry = 'symmetric' }) end, 'x: not symmetric, expected a matrix with')
    assert.error_matches(function() sparse.saveMtx(name, a, { field = 'pattern' }) end, "field: 'pattern', expected")
    os.remove(name)
  end)

  it('write the format as bytes, as SciPy does', function()
    local name = os.tmpname()
    sparse.saveNpz(name, a:sparse 'csr')
    assert.equal('csr', torch.npz.load(name).format)
    assert.is_truthy(files.read(name):find("'descr': '|S3', 'fortran_order': False, 'shape': ()", 1, true))
    os.remove(name)
  end)

  it('are one error if they are damaged', function()
    local good = { format = 'csr', shape = torch.LongTensor { 2, 2 }, indptr = torch.LongTensor { 0, 1, 1 },
      indices = torch.LongTensor { 0 }, data = torch.ones(1) }
    local name = os.tmpname()
    local function refuses(message, changes)
      local parts = {}
      for key, value in pairs(good) do parts[key] = value end
      for key, value in pairs(changes) do parts[key] = value or nil end
      torch.npz.save(name, parts)
      assert.error_matches(function() sparse.loadNpz(name) end, 'torch%.sparse%.loadNpz: [^\n]*' .. message .. '[^\n]*$')
    end
    refuses("format 'lil', expected csr, csc, coo, bsr or dia", { format = 'lil' })
    refuses('members: offsets', { format = 'dia' })
    refuses('blocks: 1 dimensions, expected', { format = 'bsr' })
    refuses('offsets: 1 occurs twice', { format = 'dia', offsets = torch.LongTensor { 1, 1 }, data = torch.ones(2, 2) })
    refuses('data: sizes %[1%], expected a matrix with 1 rows', { format = 'dia', offsets = torch.LongTensor { 1 } })
    refuses('columns: from 1 to 9', { format = 'csc', indptr = torch.LongTensor { 0, 1, 8 } })
    refuses('columns: 6 to 6, expected 1 to 2', { indices = torch.LongTensor { 5 } })
    refuses('rows: from 1 to 9, expected from 1 to 2', { indptr = torch.LongTensor { 0, 1, 8 } })
    refuses('values: sizes %[3%], expected %[1%]', { data = torch.ones(3) })
    refuses('member indices: a torch.DoubleTensor', { indices = torch.ones(1) })
    refuses('member shape: expected two sizes', { shape = torch.LongTensor { 2 } })
    refuses('members: data', { data = false })
    refuses('sizes: %-1', { shape = torch.LongTensor { -1, 2 } })
    torch.npz.save(name, good)
    assert.equal(1, sparse.loadNpz(name):nnz())
    local contents = files.read(name)
    os.remove(name)
    for place = 1, #contents, 41 do
      withFile(contents:sub(1, place), function(file)
        assert.error_matches(function() sparse.loadNpz(file) end, 'torch%.sparse%.loadNpz: [^\n]*$')
      end)
    end
  end)
end)

describe('sparse matrices of patterns', function()
  local s, t = a:sparse(), b:sparse()

  it('are those of SciPy', function()
    assertClose(torch.DoubleTensor(scipy.kron), sparse.kron(t, s):dense())
    assertClose(torch.DoubleTensor(scipy.hstack), sparse.hstack { s, s:narrow(2, 1, 2):csr() }:dense())
    assertClose(torch.DoubleTensor(scipy.vstack), sparse.vstack { s, s * 2 }:dense())
    assertClose(torch.DoubleTensor(scipy.blockDiag), sparse.blockDiag { s, t:csr() }:dense())
    assertClose(torch.DoubleTensor(scipy.tril), sparse.tril(s, -1):dense())
    assertClose(torch.DoubleTensor(scipy.triu), sparse.triu(s:csr(), 1):dense())
    assertClose(torch.DoubleTensor(scipy.eye), sparse.eye(3, 5, -1):dense())
    local diagonals = { torch.DoubleTensor { 1, 2, 3 }, torch.DoubleTensor { 4, 5 } }
    assertClose(torch.DoubleTensor(scipy.diags), sparse.diags(diagonals, { -1, 1 }, { 4, 3 }):dense())
    assertClose(torch.eye(3) * 2, sparse.diags({ torch.Tensor { 2 } }, { 0 }, { 3, 3 }):dense())
  end)

  it('are found again', function()
    local rows, columns, values = sparse.find(s)
    assert.same({ { 1, 2, 2 }, { 2, 1, 4 } }, { rows:totable(), columns:totable() })
    assertClose(torch.DoubleTensor { 1.5, -2, 1e-300 }, values)
  end)

  it('are random at as many places as asked for', function()
    for _, density in ipairs { 0, 0.01, 0.3, 1 } do
      local r = sparse.random(40, 50, density)
      assert.equal(2000 * density, r:nnz())
      assert.equal(r:nnz(), r:coalesce():nnz())
      if density > 0 then assert.is_true(r:isCoalesced() and r:values():min() >= 0 and r:values():max() <= 1) end
      assert.same(r:indices():totable(), torch.sparse.coo(r:indices(), r:values(), { 40, 50 }):coalesce():indices():totable())
    end
    -- 100 of 400 places per half: within five deviations of the hypergeometric distribution.
    local half = sparse.random(20, 40, 0.25):narrow(1, 1, 10):nnz()
    assert.is_true(math.abs(half - 100) < 5 * math.sqrt(200 * 0.25 * 600 / 799))
  end)

  it('have gradients with respect to values', function()
    local p, q = t:clone():requiresGrad(), s:clone():requiresGrad()
    local w = torch.DoubleTensor(6, 8):normal()
    torch.sum(torch.cmul(sparse.kron(p, q):dense(), w)):backward()
    local expected = torch.DoubleTensor(2, 2):zero()
    for i = 1, 2 do
      for j = 1, 2 do expected[i][j] = torch.cmul(w[{ { 3 * i - 2, 3 * i }, { 4 * j - 3, 4 * j } }], a):sum() end
    end
    close.within { rtol = 1e-12, atol = 1e-12 }(torch.cmul(expected, b:ne(0):double()), p:grad():dense())
    local left, right = torch.DoubleTensor(3, 5):normal():requiresGrad(), torch.DoubleTensor(5, 4):normal():requiresGrad()
    local sampled = sparse.sampledAddmm(s, left, right, 2, 3)
    local near = close.within { rtol = 1e-12, atol = 1e-12 }
    local mask = a:ne(0):double()
    near(a * 2 + torch.cmul(left:detach() * right:detach(), mask) * 3, sampled:dense():detach())
    torch.sum(sampled:values()):backward()
    near(mask * right:detach():t() * 3, left.grad)
    near(left:detach():t() * mask * 3, right.grad)
  end)

  it('name what does not fit', function()
    assert.error_matches(function() sparse.hstack { s, t } end,
      'torch%.sparse%.hstack: matrices: sizes %[2, 2%] of number 2, expected 3 rows')
    assert.error_matches(function() sparse.vstack {} end, 'torch%.sparse%.vstack: matrices: expected a table of one')
    assert.error_matches(function() sparse.kron(s, b) end, 'torch%.sparse%.kron: b: .*expected a sparse tensor')
    assert.error_matches(function() sparse.diags({ torch.ones(2) }, { 1 }, { 2, 2 }) end,
      'diags: diagonals: 2 elements at offset 1, expected 1')
    assert.error_matches(function() sparse.random(3, 3, 2) end, 'torch%.sparse%.random: density: 2, expected a number from 0 to 1')
    assert.error_matches(function() sparse.sampledAddmm(s, b, b) end,
      'sampledAddmm: a, b: sizes %[2, 2%] and %[2, 2%], expected a product of %[3, 4%]')
  end)
end)
