-- Functions with NumPy's names: numbers, sizes (but for those of 1) and texts are NumPy's (numpy_figures.py).
local torch = require 'torch'
local autograd = require 'autograd'
local figures = require 'spec.torch.numpy_figures'
local assertClose = require('spec.support.close').within { rtol = 1e-13, atol = 1e-13, equalNan = true }

local function temporary(text)
  local name = os.tmpname()
  local file = assert(io.open(name, 'w'))
  file:write(text or '')
  file:close()
  return name
end

-- What the expressions of the figures use.
local given = {
  torch = torch, math = math, nan = 0 / 0, T = torch.DoubleTensor,
  x = torch.DoubleTensor { 1, 1.5, 3, 4.25, 6 },
  y = torch.DoubleTensor { { 2, -1, 0.5, 3, 1 }, { 0, 4, 2, -2, 7.5 } },
  c = torch.DoubleTensor(24):copy(torch.remainder(torch.range(0, 23) * 7, 19) - 9):view(2, 3, 4) * 0.375,
  g = torch.DoubleTensor { { 1, 0 / 0, 4, 2 }, { 0 / 0, -3, 3, 0 / 0 }, { 5, 5, -5, 5 } },
  i = torch.LongTensor { 3, 1, 4, 1, 5, 9, 2, 6, 1, 3 }, b = torch.ByteTensor { { 3, 0, 255 }, { 17, 128, 64 } },
  p = torch.DoubleTensor { 1, -2, 3, 5 }, q = torch.DoubleTensor { 2, 1 },
  angles = torch.DoubleTensor { 0, 1, 3, -3, -1, 2.9, -2.9, 6.5, 13 },
  dd = function(counts, edges) return counts, unpack(edges) end,
  loaded = function(text, options, how)
    local name = temporary(text)
    local value = torch[how or 'loadtxt'](name, options)
    os.remove(name)
    return value
  end,
  saved = function(x, options)
    local name = temporary()
    torch.savetxt(name, x, options)
    local file = assert(io.open(name))
    local text = file:read '*a'
    file:close()
    os.remove(name)
    return text
  end,
}

local function evaluate(expression) return { setfenv(assert(loadstring('return ' .. expression)), given)() } end

local function check(figure, value)
  local sizes, numbers = unpack(figure)
  if not torch.isTensor(value) then
    assertClose(numbers, { value })
    return
  end
  local own = {}
  for d = 1, value:dim() do
    if value:size(d) ~= 1 then own[#own + 1] = value:size(d) end
  end
  assert.same(sizes, own)
  assertClose(numbers, value:nElement() > 0 and value:double():contiguous():view(-1):totable() or {})
end

describe("NumPy's function", function()
  for _, case in ipairs(figures.numbers) do
    it(case[1], function()
      local values = evaluate(case[1])
      assert.equal(#case - 1, #values)
      for k = 2, #case do check(case[k], values[k - 1]) end
    end)
  end
  for _, case in ipairs(figures.texts) do
    it(case[1]:gsub('\n', ' '), function() assert.same(case[2], evaluate(case[1])[1]) end)
  end
end)

-- Functions of tensors, and the tensors with respect to which they are differentiated.
local differentiable = {
  { 'block', function(a, b) return torch.block { { a, 2 }, { b, 1 } } end, { 1, 3 }, { 1, 3 } },
  { 'pad by a mean', function(a) return torch.pad(a, 2, 'mean', 0, 2) end, { 2, 3 } },
  { 'pad by a maximum', function(a) return torch.pad(a, 1, 'maximum') end, { 2, 3 } },
  { 'pad by a median', function(a) return torch.pad(a, { 1, 2 }, 'median') end, { 5 } },
  { 'pad by a ramp', function(a) return torch.pad(a, { 3, 2 }, 'linear_ramp', 5) end, { 2, 3 } },
  { 'meshgrid', function(a, b) return torch.add(torch.meshgrid(a, b, { indexing = 'xy' })) end, { 2 }, { 3 } },
  { 'weightedCov', function(a, w) return torch.weightedCov(a, nil, torch.add(torch.abs(w), 1)) end, { 2, 4 }, { 4 } },
  { 'weightedCorrcoef', function(a, w) return torch.weightedCorrcoef(a, nil, torch.add(torch.abs(w), 1)) end, { 2, 4 }, { 4 } },
  { 'append', function(a, b) return torch.append(a, b) end, { 2, 2 }, { 3 } },
  { 'insert', function(a, b) return torch.insert(a, { 1, 3 }, b, 2) end, { 2, 3 }, { 2, 2 } },
  { 'delete', function(a) return torch.delete(a, { 1, 3 }, 2) end, { 2, 3 } },
  { 'rollaxis', function(a) return torch.rollaxis(a, 3) end, { 2, 3, 2 } },
  { 'slidingWindowView', function(a) return torch.slidingWindowView(a, { 2, 2 }) end, { 3, 3 } },
  { 'choose', function(a, b) return torch.choose(torch.LongTensor { 1, 2, 1 }, { a, b }) end, { 3 }, { 3 } },
  { 'selectByMask', function(a, b) return torch.selectByMask({ a:gt(0), b:gt(0) }, { torch.cmul(a, a), b }, -1) end, { 5 }, { 5 } },
  { 'piecewise', function(a) return torch.piecewise(a, { a:gt(0) }, { torch.exp, torch.sin }) end, { 2, 3 } },
  { 'extract', function(a) return torch.extract(torch.ByteTensor { 1, 0, 1 }, a) end, { 3 } },
  { 'compress', function(a) return torch.compress(torch.ByteTensor { 0, 1 }, a, 2) end, { 2, 3 } },
  { 'cbrt', torch.cbrt, { 6 } },
  { 'modf', function(a) return (torch.modf(a)) end, { 4 } },
  { 'unwrap', function(a) return torch.unwrap(torch.mul(a, 3)) end, { 6 } },
  { 'nanprod', function(a) return torch.nanprod(a, 2) end, { 2, 3 } },
  { 'nancumsum', function(a) return torch.nancumsum(a) end, { 2, 3 } },
  { 'ptp', function(a) return torch.ptp(a, 2) end, { 2, 4 } },
  { 'average', function(a, w) return torch.average(a, torch.add(torch.abs(w), 1), 1) end, { 3, 2 }, { 3, 2 } },
  { 'ediff1d', function(a) return torch.ediff1d(a, 1) end, { 2, 3 } },
  { 'segmentSum', function(a) return torch.segmentSum(a, torch.LongTensor { 2, 1, 2 }, 3) end, { 3, 2 } },
  { 'segmentMean', function(a) return torch.segmentMean(a, torch.LongTensor { 2, 1, 2 }) end, { 3, 2 } },
  { 'segmentProd', function(a) return torch.segmentProd(a, torch.LongTensor { 2, 1, 2 }) end, { 3, 2 } },
  { 'segmentMax', function(a) return torch.segmentMax(a, torch.LongTensor { 2, 1, 2 }) end, { 3, 2 } },
  { 'segmentMin', function(a) return torch.segmentMin(a, torch.LongTensor { 2, 1, 2 }) end, { 3, 2 } },
  { 'polyadd', torch.polyadd, { 3 }, { 2 } }, { 'polysub', torch.polysub, { 2 }, { 3 } }, { 'polymul', torch.polymul, { 3 }, { 2 } },
  { 'polydiv', function(a, b) return torch.cat({ torch.polydiv(a, torch.add(torch.abs(b), 1)) }, 1) end, { 4 }, { 2 } },
  { 'polyder', torch.polyder, { 4 } }, { 'polyint', torch.polyint, { 4 } }, { 'poly', torch.poly, { 3 } },
  { 'convolve', function(a, b) return torch.convolve(a, b, 'same') end, { 5 }, { 3 } },
  { 'correlate', function(a, b) return torch.correlate(a, b, 'full') end, { 2 }, { 4 } },
  { 'applyAlongAxis', function(a) return torch.applyAlongAxis(function(v) return torch.cmul(v, v) end, 1, a) end, { 2, 3 } },
}

describe('gradients of', function()
  for _, case in ipairs(differentiable) do
    it(case[1], function()
      local inputs = {}
      for k = 3, #case do inputs[k - 2] = torch.randn(torch.LongStorage(case[k])) end
      assert(autograd.gradcheck(case[2], inputs))
    end)
  end
end)

describe('groups of slices', function()
  it('are reduced as loops over them do', function()
    local x, groups = torch.randn(7, 2), torch.LongTensor { 3, 1, 3, 3, 1, 5, 1 }
    local whole = {
      segmentSum = function(rows) return torch.sum(rows, 1) end, segmentMean = function(rows) return torch.mean(rows, 1) end,
      segmentProd = function(rows) return torch.prod(rows, 1) end, segmentMax = function(rows) return (torch.max(rows, 1)) end,
      segmentMin = function(rows) return (torch.min(rows, 1)) end,
    }
    for name, reduce in pairs(whole) do
      local y = torch[name](x, groups)
      assert.same({ 5, 2 }, y:size():totable())
      for k = 1, 5 do
        local rows = x[groups:eq(k)]
        local expected = rows:nElement() > 0 and reduce(rows):view(-1):totable() or name == 'segmentProd' and { 1, 1 } or { 0, 0 }
        assertClose(expected, y[k]:totable())
      end
      assert.same({ 6, 2 }, torch[name](x, groups, 6):size():totable())
      assert.same({ 0, 2 }, torch[name](torch.zeros(0, 2), torch.LongTensor(0)):size():totable())
    end
    assert.same({ 4, 2 }, torch.segmentSum(torch.LongTensor { 1, 2, 3 }, torch.LongTensor { 1, 2, 1 }):totable())
    assert.error_matches(function() torch.segmentSum(x, groups, 2) end, 'segmentSum: count: 2, expected')
    assert.error_matches(function() torch.segmentMax(x, torch.LongTensor { 1 }) end,
    'segmentMax: groups: %[1%], expected a vector with a group')
    assert.error_matches(function() torch.segmentMean(x, groups - 1) end, 'segmentMean: groups: 0, expected numbers from 1')
  end)
end)

describe('questions about whole arrays', function()
  it('are answered by elements, sizes and memory', function()
    local x = torch.range(1, 12):view(3, 4)
    assert.is_true(torch.arrayEqual(x, x:clone()))
    assert.is_false(torch.arrayEqual(x, x:t()))
    assert.is_false(torch.arrayEqual(torch.Tensor { 0 / 0 }, torch.Tensor { 0 / 0 }))
    assert.is_true(torch.arrayEqual(torch.Tensor { 0 / 0 }, torch.Tensor { 0 / 0 }, true))
    assert.is_true(torch.arrayEquiv(torch.Tensor { 1, 2 }, torch.Tensor { { 1, 2 }, { 1, 2 } }))
    assert.is_false(torch.arrayEquiv(torch.Tensor { 1, 2 }, torch.Tensor { 1, 2, 1 }))
    local even, odd = x[{ {}, { 1, -1, 2 } }], x[{ {}, { 2, -1, 2 } }]
    assert.is_true(torch.mayShareMemory(even, odd))
    assert.is_false(torch.sharesMemory(even, odd))
    assert.is_true(torch.sharesMemory(even, x[2]))
    assert.is_false(torch.mayShareMemory(x[1], x[3]))
    assert.is_false(torch.sharesMemory(x, x:clone()))
    assert.same({ true, true, false }, { torch.isscalar(1), torch.isscalar 'a', torch.isscalar(x) })
    assert.same({ 2, 0 }, { torch.ndim(x), torch.ndim(1) })
    assert.same({ 3, 4 }, torch.shape(x):totable())
    assert.equal(x, torch.asarrayChkfinite(x))
    assert.error_matches(function() torch.asarrayChkfinite(torch.Tensor { 1, 0 / 0 }) end, 'asarrayChkfinite: x: NaN or infinity')
  end)
  it('iterate over positions', function()
    local seen = {}
    for at, value in torch.ndenumerate(torch.Tensor { { 1, 2 }, { 3, 4 } }) do seen[#seen + 1] = { at[1], at[2], value } end
    assert.same({ { 1, 1, 1 }, { 1, 2, 2 }, { 2, 1, 3 }, { 2, 2, 4 } }, seen)
    local count = 0
    for _ in torch.ndindex { 2, 0, 3 } do count = count + 1 end
    assert.equal(0, count)
    assert.same({ 1, 2, 3 }, torch.fromiter(('1 2 3'):gmatch '%d+'):totable())
    assert.same({ 1, 2 }, torch.fromiter(('1 2 3'):gmatch '%d+', 2):totable())
  end)
  it('print by settings that end', function()
    local before = torch.getPrintoptions()
    local text = torch.printoptions({ precision = 1 }, function() return tostring(torch.Tensor { 1.24 }) end)
    assert.truthy(text:find '1.2\n')
    assert.error_matches(function() torch.printoptions({ precision = 1 }, error, 'stop') end, 'stop')
    assert.same(before, torch.getPrintoptions())
  end)
end)

describe('torch.pad, meshgrid, split and weightedCov', function()
  it('take other forms', function()
    local x = torch.range(1, 6):view(3, 2)
    local y = torch.pad(x, { { 1, 0 }, { 0, 2 } }, 'empty')
    assert.same({ 4, 4 }, y:size():totable())
    assert.same(x:totable(), y[{ { 2, 4 }, { 1, 2 } }]:totable())
    local parts = torch.split(x, { 1, 0, 2 })
    assert.same({ 1, 0, 2 }, { parts[1]:size(1), parts[2]:size(1), parts[3]:size(1) })
    assert.same({ { 3, 4 }, { 5, 6 } }, parts[3]:totable())
    local result = { 'old' }
    assert.equal(result, torch.split(result, x, { 1, 1 }, 2))
    assert.same({ { 2 }, { 4 }, { 6 } }, result[2]:totable())
    assert.error_matches(function() torch.split(x, { 1, 1 }) end, 'splitWithSizes: sizes: a sum of 2, expected 3')
    assert.error_matches(function() torch.pad(x, 1, 'some') end, "pad: mode: 'some', expected constant, .*linear_ramp")
    assert.error_matches(function() torch.pad(x, 1, 'mean', 0, 0) end, 'pad: statLength: 0, expected')
    assert.error_matches(function() torch.meshgrid(x[1], { indexing = 'yx' }) end, 'meshgrid: indexing: ')
    assert.error_matches(function() torch.weightedCov(x, torch.ones(3)) end,
      'weightedCov: counts: %[3%], expected a weight for each of 2 observations')
    assert.error_matches(function() torch.weightedCov(x, nil, -torch.ones(2)) end, 'weightedCov: weights: a negative weight')
  end)
end)

describe('questions about dtypes', function()
  it('know kinds and abstract types', function()
    assert.is_true(torch.isdtype('float', 'real floating'))
    assert.is_true(torch.isdtype(torch.LongTensor(1), { 'bool', 'integral' }))
    assert.is_true(torch.isdtype('uint8', 'torch.ByteTensor'))
    assert.is_false(torch.isdtype('bool', 'numeric'))
    assert.is_false(torch.isdtype('char', 'unsigned integer'))
    assert.is_true(torch.issubdtype('half', 'floating'))
    assert.is_true(torch.issubdtype('bool', 'generic'))
    assert.is_false(torch.issubdtype('byte', 'signedinteger'))
    assert.is_true(torch.issubdtype('int64', 'long'))
    assert.error_matches(function() torch.isdtype('float',
      'big') end, "isdtype: kind: 'big', expected a tensor or a type such as 'float32'")
    assert.error_matches(function() torch.issubdtype(1, 'number') end, 'issubdtype: dtype: 1, expected')
  end)
  it('choose common and smallest types as NumPy does', function()
    assert.equal('torch.FloatTensor', torch.commonType(torch.FloatTensor(1), torch.HalfTensor(1)))
    assert.equal('torch.DoubleTensor', torch.commonType(torch.FloatTensor(1), torch.IntTensor(1)))
    assert.error_matches(function() torch.commonType(torch.BoolTensor(1)) end, 'commonType: tensors: booleans')
    local smallest = {
      [0] = 'Byte', [255] = 'Byte', [256] = 'UInt16', [65536] = 'UInt32', [2 ^ 32] = 'UInt64', [-1] = 'Char', [-129] = 'Short',
        [-32769] = 'Int',
      [-2 ^ 40] = 'Long', [0.5] = 'Half', [7e4 + 0.5] = 'Float', [1e300] = 'Double', [math.huge] = 'Half',
    }
    for value, name in pairs(smallest) do assert.equal(('torch.%sTensor'):format(name), torch.minScalarType(value)) end
    assert.equal('torch.BoolTensor', torch.minScalarType(true))
    assert.equal('torch.IntTensor', torch.minScalarType(torch.IntTensor(1)))
  end)
  it('have names of types that tensors are converted to', function()
    local sizes = { single = 4, ubyte = 1, ushort = 2, uintc = 4, uint = 8, uintp = 8, ulong = 8, ulonglong = 8, intc = 4,
      intp = 8, longlong = 8 }
    for name, size in pairs(sizes) do assert.equal(size, torch.ones(2):type(torch[name]):elementSize()) end
  end)
end)

describe('second names from NumPy', function()
  local x = torch.DoubleTensor { 0.5, -2 }
  local pairs_ = {
    { torch.degrees(x), torch.rad2deg(x) }, { torch.radians(x), torch.deg2rad(x) }, { torch.fabs(x), torch.abs(x) },
    { torch.power(x, 3), torch.pow(x, 3) }, { torch.cumulativeSum(x, 1), torch.cumsum(x, 1) },
    { torch.cumulativeProd(x, 1), torch.cumprod(x, 1) },
    { torch.permuteDims(x:view(1, 2), 2, 1), x:view(2, 1) }, { torch.unstack(x:view(2, 1))[2], x:narrow(1, 2, 1) },
    { torch.leftShift(torch.LongTensor { 3 }, 2), torch.LongTensor { 12 } },
    { torch.rightShift(torch.LongTensor { 13 }, 2), torch.LongTensor { 3 } },
    { torch.invert(torch.LongTensor { 5 }), torch.LongTensor { -6 } }, { torch.arraySplit(x, 2)[2], x:narrow(1, 2, 1) },
    { torch.broadcastArrays(x, torch.ones(3, 1))[1]:select(1, 3), x }, { torch.asanyarray { 0.5, -2 }, x },
    { torch.ascontiguousarray(x), x }, { torch.intersect1d(x, x), torch.intersect(x, x) }, { torch.union1d(x, x), torch.union(x, x) },
    { torch.setdiff1d(x, torch.Tensor { 0.5 }), torch.Tensor { -2 } }, { torch.in1d(x, torch.Tensor { 0.5 }), torch.ByteTensor { 1, 0 } },
  }
  it('are the same functions', function()
    for k, pair in ipairs(pairs_) do assert.same(pair[2]:totable(), pair[1]:totable(), 'pair ' .. k) end
    assert.equal(4.25, torch.vdot(x, x))
  end)
end)

describe('bad arguments', function()
  local x, y = torch.ones(3), torch.ones(2, 3)
  local refused = {
    { function() torch.tri(-1) end, 'tri: n: %-1, expected' },
    { function() torch.block { { x }, x } end, 'block: parts: lists of different depths' },
    { function() torch.geomspace(1, -1) end, 'geomspace: last: %-1, expected a number of the sign' },
    { function() torch.ix_(y) end, 'ix_: vectors: %[2, 3%] as number 1, expected a vector' },
    { function() torch.diagIndicesFrom(y) end, 'diagIndicesFrom: x: %[2, 3%], expected equal sizes' },
    { function() torch.ravelMultiIndex({ 3, 1 }, { 2, 4 }) end,
    'ravelMultiIndex: places: a position out of range in dimension 1, expected 1 to 2' },
    { function() torch.insert(x, 5, 1) end, 'insert: places: 5, expected a position from 1 to 4' },
    { function() torch.delete(x, 0) end, 'delete: places: 0, expected a position from 1 to 3' },
    { function() torch.rollaxis(y, 1, 4) end, 'rollaxis: start: 4, expected' },
    { function() torch.slidingWindowView(x, 4) end, 'slidingWindowView: sizes: 4, expected' },
    { function() torch.expandDims(x, { 1, 1 }) end, 'expandDims: dims: dimension 1 is twice' },
    { function() torch.choose(torch.LongTensor { 3 }, { 1, 2 }) end, 'choose: index: a number out of range, expected 1 to 2' },
    { function() torch.selectByMask({ x }, {}) end, 'selectByMask: values: 0, expected one for each of 1 masks' },
    { function() torch.piecewise(x, { y }, { 1 }) end, 'piecewise: mask: %[2, 3%], expected %[3%]' },
    { function() torch.compress(torch.ones(4), x) end, 'compress: mask: %[4%], expected a vector of at most 3' },
    { function() torch.putAlongAxis(y, torch.LongTensor { { 9 }, { 1 } }, 1, 2) end,
    'putAlongAxis: index: a position out of range, expected 1 to 3' },
    { function() torch.lexsort { x, torch.ones(2) } end, 'lexsort: keys: %[2%] as number 2, expected vectors of one length' },
    { function() torch.digitize(x, torch.Tensor { 1, 3, 2 }) end, 'digitize: bins: expected edges in ascending or descending order' },
    { function() torch.partition(x, 4) end, 'partition: k: 4, expected' },
    { function() torch.bitwiseCount(x) end, 'bitwiseCount: x: torch.DoubleTensor, expected integers' },
    { function() torch.nanargmax(x * (0 / 0)) end, 'nanargmax: x: all NaN' },
    { function() torch.average(x, torch.zeros(3)) end, 'average: weights: a sum of 0' },
    { function() torch.average(y, torch.ones(2)) end, 'average: weights: %[2%], expected %[2, 3%]' },
    { function() torch.polydiv(x, torch.zeros(2)) end, 'polydiv: q: 0, expected a divisor' },
    { function() torch.convolve(x, y) end, 'convolve: b: %[2, 3%], expected a vector' },
    { function() torch.convolve(x, x, 'some') end, 'convolve: mode: ' },
    { function() torch.applyAlongAxis(function() return y:narrow(2, 1, torch.random(3)) end, 9, y) end, 'applyAlongAxis: dim: ' },
    { function() torch.vectorize(function() return 'a' end)(x) end, 'vectorize: f: result: ' },
    { function() torch.unpackbits(torch.LongTensor { 1 }) end, 'unpackbits: x: torch.LongTensor, expected a ByteTensor' },
    { function() torch.binaryRepr(8, 3) end, 'binaryRepr: width: 3, expected 4 or more for 8' },
    { function() torch.histogramdd(y, { 1 }) end, 'histogramdd: bins: 1, expected one for each of 3 dimensions' },
    { function() torch.histogramBinEdges(x, 'stone') end, 'histogramBinEdges: bins: ' },
    { function() torch.array2string(x, { digits = 3 }) end, 'array2string: ' },
    { function() torch.fromstring '1 a' end, "fromstring: text: 'a', expected a number" },
    { function() given.loaded '1 2\n3' end, 'loadtxt: .*: 1 columns in line 2, expected 2' },
    { function() given.loaded '1 b' end, "loadtxt: .*: 'b' in line 1, column 2, expected a number" },
    { function() torch.savetxt('x', torch.ones(2) * 1i) end, 'savetxt: x: torch.ComplexDoubleTensor, expected real numbers' },
    { function() torch.savetxt('x', torch.ones(1, 1, 1)) end, 'savetxt: x: 3 dimensions, expected 1 or 2' },
  }
  it('are named with what was expected', function()
    for _, case in ipairs(refused) do assert.error_matches(case[1], case[2]) end
  end)
end)
