-- The layout of LAPACK's results: column-major except for a few, as in Torch7, also in out arguments.
local torch = require 'torch'

local function random(rows, columns)
  torch.manualSeed(rows * 10 + columns)
  return torch.randn(rows, columns)
end

local square = random(4, 4)
local definite = torch.mm(square, square:t()):add(torch.eye(4))
local tall, sides, factor = random(4, 3), random(4, 2), torch.potrf(definite)
local reflectors, tau = torch.geqrf(tall)

local byColumns, byRows = 'columns', 'rows'
local cases = {      -- name, arguments, the layout and sizes of each result
  { 'eig', { definite, 'V' }, { byRows, 4, 2 }, { byColumns, 4, 4 } },
  { 'schur', { definite }, { byColumns, 4, 4 }, { byColumns, 4, 4 } },
  { 'symeig', { definite, 'V' }, { byRows, 4 }, { byColumns, 4, 4 } },
  { 'svd', { tall }, { byColumns, 4, 3 }, { byRows, 3 }, { byRows, 3, 3 } }, { 'qr', { tall }, { byColumns, 4, 3 }, { byRows, 3, 3 } },
  { 'gels', { sides, tall }, { byColumns, 3, 2 }, { byColumns, 4, 3 } },
  { 'gesv', { sides, square }, { byColumns, 4, 2 }, { byColumns, 4, 4 } },
  { 'trtrs', { sides, factor }, { byColumns, 4, 2 }, { byColumns, 4, 4 } }, { 'inverse', { square }, { byColumns, 4, 4 } },
  { 'potrf', { definite }, { byColumns, 4, 4 } }, { 'potri', { factor }, { byColumns, 4, 4 } },
  { 'potrs', { sides, factor }, { byColumns, 4, 2 } },
  { 'geqrf', { tall }, { byColumns, 4, 3 }, { byRows, 3 } }, { 'orgqr', { reflectors, tau }, { byColumns, 4, 3 } },
  { 'ormqr', { reflectors, tau, sides }, { byColumns, 4, 2 } }, { 'pstrf', { definite }, { byColumns, 4, 4 }, { byRows, 4 } },
}

local function arguments(case, kind)
  local list = {}
  for i, x in ipairs(case[2]) do list[i] = torch.isTensor(x) and x:type(kind) or x end
  return list
end

local function checkLayout(x, expected, label)
  assert.same({ unpack(expected, 2) }, x:size():totable(), label)
  local strides = { expected[3] or 1, expected[3] and 1 }
  if expected[1] == byColumns then strides = { 1, expected[2] } end
  assert.same(strides, x:stride():totable(), label)
end

-- Creates out arguments of a case's sizes by `make` and calls the op with them: it must return them, with the values of new results.
local function callWith(case, kind, make)
  local fresh = { torch[case[1]](unpack(arguments(case, kind))) }
  local results = {}
  for i = 1, #case - 2 do results[i] = make(fresh[i]) end
  local all = { unpack(results) }
  for _, argument in ipairs(arguments(case, kind)) do table.insert(all, argument) end
  local returned = { torch[case[1]](unpack(all)) }
  for i, result in ipairs(results) do
    assert.is_true(rawequal(result, returned[i]))
    assert.is_true(torch.equal(fresh[i], result), case[1] .. ' ' .. i)
  end
  return fresh, results, all
end

describe('column-major results', function()
  for _, case in ipairs(cases) do
    for _, kind in ipairs { 'torch.DoubleTensor', 'torch.FloatTensor' } do
      it(('of torch.%s, new and given, %s'):format(case[1], kind), function()
        local function filled(like) return like.new(like:size()):fill(7) end
        local fresh, results, all = callWith(case, kind, filled)
        for i, result in ipairs(results) do
          checkLayout(fresh[i], case[i + 2], 'new ' .. i)
          checkLayout(result, case[i + 2], 'given ' .. i)
        end
        torch[case[1]](unpack(all))      -- a second call finds and leaves them so
        for i, result in ipairs(results) do
          checkLayout(result, case[i + 2], 'again ' .. i)
          assert.is_true(torch.equal(fresh[i], result))
        end
        local _, empty = callWith(case, kind, function(like) return like.new() end)
        for i, result in ipairs(empty) do checkLayout(result, case[i + 2], 'empty ' .. i) end
      end)
    end

    it(('of torch.%s fill views with gaps in place'):format(case[1]), function()
      local bases = {}
      local _, results = callWith(case, 'torch.DoubleTensor', function(like)
        local ranges = {}
        for d = 1, like:dim() do table.insert(ranges, { 2, like:size(d) + 1 }) end
        local sizes = like:size()
        for d = 1, #sizes do sizes[d] = sizes[d] + 3 end
        local base = like.new(sizes):fill(0)
        table.insert(bases, base)
        return base[ranges]
      end)
      for i, result in ipairs(results) do
        if result:dim() == 2 then assert.equal(bases[i]:stride(1), result:stride(1)) end
        assert.is_true(math.abs(bases[i]:double():sum() - result:double():sum()) < 1e-9)      -- and nothing else
      end
    end)
  end

  it('leave operands, and parts of larger tensors, in their layout', function()
    local m = square:clone()
    torch.inverse(m, m)
    assert.same({ 4, 1 }, m:stride():totable())
    local stack = torch.zeros(2, 4, 4)
    torch.inverse(stack[2], square)
    assert.is_true(torch.equal(torch.inverse(square), stack[2]))
    assert.is_true(torch.equal(torch.inverse(square), m))
  end)
end)
