-- The inputs of a sample for which the sweeps of autograd compute gradients.
local torch = require 'torch'
local sampleInputs = require 'autograd.sweep.sample_inputs'

local double = 'torch.DoubleTensor'
local function vector(...) return torch.DoubleTensor { ... } end

-- Arguments: an input, a number, a constant, a list of an input and a tensor of another dtype, and an input.
local op = { constants = { [3] = 'data' }, info = { method = 'returns' } }
function op.call(...) return select('#', ...), { ... } end
local x, constant, y, floats, z = vector(1), vector(2), vector(3), torch.FloatTensor { 4 }, vector(5)
local sample = { x, 7, constant, { y, floats }, z, n = 5 }

local function first(arguments) return { arguments[1][1], arguments[3][1], arguments[4][1][1], arguments[4][2][1], arguments[5][1] } end
local function negative(t) return torch.mul(t, -1) end

describe('the inputs of a sample', function()
  it('are its tensors of one dtype, without constants', function()
    assert.same({ x, y, z }, sampleInputs.of(op, sample, double))
    assert.same({ x, constant, y, z }, sampleInputs.of({}, sample, double))
    assert.same({ floats }, sampleInputs.of(op, sample, 'torch.FloatTensor'))
  end)

  it('are replaced by their numbers, and counted', function()
    local numbers = {}
    local arguments, count = sampleInputs.map(op, sample, double, function(t, i)
      numbers[#numbers + 1] = i
      return vector(t[1] + 10 * i)
    end)
    assert.same({ 1, 2, 3 }, numbers)
    assert.equal(3, count)
    assert.same({ 11, 2, 23, 4, 35 }, first(arguments))
    assert.equal(7, arguments[2])
    assert.equal(5, arguments.n)
    assert.equal(0, select(2, sampleInputs.map(op, { 1, n = 1 }, double, negative)))
  end)

  it('change all at once, or one alone', function()
    local all, count = sampleInputs.changed(op, sample, double, negative)
    assert.equal(3, count)
    assert.same({ -1, 2, -3, 4, -5 }, first(all))
    assert.same({ -1, 2, 3, 4, 5 }, first((sampleInputs.changed(op, sample, double, negative, 1))))
    assert.same({ 1, 2, -3, 4, 5 }, first((sampleInputs.changed(op, sample, double, negative, 2))))
    assert.same({ 1, 2, 3, 4, -5 }, first((sampleInputs.changed(op, sample, double, negative, 3))))
    assert.same({ 1, 3 }, { x[1], y[1] })
  end)

  it('of a call are other tensors, or their symmetric parts', function()
    local others = { vector(10), vector(20), vector(30) }
    local count, arguments = sampleInputs.call(op, sample, double, others)
    assert.equal(5, count)
    assert.same({ 10, 2, 20, 4, 30 }, first(arguments))
    assert.equal(others[1], arguments[1])

    local square = torch.DoubleTensor { { 1, 2 }, { 6, 3 } }
    local symmetric = { symmetric = 'its matrix', info = op.info, call = op.call }
    arguments = select(2, sampleInputs.call(symmetric, { square, n = 1 }, double, { square }))
    assert.same({ { 1, 4 }, { 4, 3 } }, arguments[1]:totable())
  end)

  it('are not changed by a call of an op that writes to its first argument', function()
    local inPlace = { info = { method = 'alwaysInPlace' }, call = function(t) return t:mul(2) end }
    local input = vector(3)
    assert.same({ 6 }, sampleInputs.call(inPlace, { x, n = 1 }, double, { input }):totable())
    assert.same({ 3 }, input:totable())
  end)
end)
