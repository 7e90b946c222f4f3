-- nn.utils: tensors in tables to any depth.
local torch = require 'torch'
local nn = require 'nn'
local assertClose = require('spec.support.close').assertClose

describe('nn.utils', function()
  local function tree() return { torch.DoubleTensor { 1, 2 }, { torch.DoubleTensor { { 3 } } } } end

  it('resizes, fills, adds and copies over the whole structure', function()
    local like = nn.utils.recursiveResizeAs(nil, tree())
    assert.same({ 1, 1 }, like[2][1]:size():totable())
    nn.utils.recursiveFill(like, 5)
    nn.utils.recursiveAdd(like, 2, tree())
    assertClose({ 7, 9 }, like[1])
    assertClose({ { 11 } }, like[2][1])
    local copy = nn.utils.recursiveCopy({ 1, extra = 2 }, tree())
    assertClose({ { 3 } }, copy[2][1])
    assert.is_nil(copy.extra)
    assert.error_matches(function() nn.utils.recursiveAdd(torch.Tensor(1), 'x') end,
      'expecting nested tensors or tables. Got .*Tensor and string')
    assert.error_matches(function() nn.utils.recursiveFill(3, 1) end, 'expecting tensor or table thereof. Got number')
  end)

  it('converts tensors once, so that sharing stays', function()
    local a = torch.DoubleTensor { 1, 2 }
    local converted = nn.utils.recursiveType({ a, { a }, a:narrow(1, 2, 1), 'text' }, 'torch.FloatTensor')
    assert.is_true(rawequal(converted[1], converted[2][1]))
    converted[1][2] = 9
    assertClose({ 9 }, converted[3])
    assert.equal('text', converted[4])
  end)

  it('makes views', function()
    local x = torch.range(1, 6):double():view(2, 3)
    assert.same({ 2, 1, 3 }, nn.utils.addSingletonDimension(x, 2):size():totable())
    assertClose({ 1, 4, 2, 5, 3, 6 }, nn.utils.contiguousView(nil, x:t(), 6))
  end)

  it('clears fields', function()
    local object = nn.utils.clear({ a = torch.Tensor(3), b = { 1 }, c = 5 }, 'a', 'b', 'c')
    assert.equal(0, object.a:nElement())
    assert.same({}, object.b)
    assert.is_nil(object.c)
  end)

  it('takes tensors out of a structure and puts others back', function()
    local nested = nn.utils
    local list = nested.flatten({ 'first', torch.Tensor { 1 }, b = torch.Tensor { 3 }, a = torch.Tensor { 2 } }, {})
    assert.same({ 1, 2, 3 }, { list[1][1], list[2][1], list[3][1] })
    assert.same({ 'first', 'x', a = 'y', b = 'z' },
      nested.rebuild({ 'first', torch.Tensor(1), a = torch.Tensor(1), b = torch.Tensor(1) }, { 'x', 'y', 'z' }))
  end)
end)
