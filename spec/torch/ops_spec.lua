-- Reflection over the registry.
local torch = require 'torch'

describe('torch.ops', function()
  it('describes the arguments and the effect of an op', function()
    local add = torch.ops.add
    assert.equal('add', add.name)
    assert.same({ 'x', 'y', 'alpha' }, add.arguments)
    assert.is_true(add.params[3].optional)
    assert.matches('elementwise', add.doc)
  end)

  it('lists every op, the composed ones too', function()
    require('torch.op').declare {
      name = 'opsSpecTwice', signature = '[res] x:tensor', doc = '2 x', samples = '{randn(3)}', forward = function(x) return x * 2 end,
    }
    local found = {}
    for _, name in ipairs(torch.ops()) do found[name] = true end
    assert.is_true(found.add and found.mm and found.opsSpecTwice)
    assert.equal('2 x', torch.ops.opsSpecTwice.doc)
    assert.same({ 2, 4 }, torch.Tensor{1, 2}:opsSpecTwice():totable())
  end)

  it('says which arguments are optional', function()
    local function optional(name)
      local list = {}
      for i, param in ipairs(require('libmoontorch').opInfo(name).params) do list[i] = { param.name, param.optional } end
      return list
    end
    assert.same({ { 'x', false }, { 'p', true }, { 'dim', true } }, optional 'norm')      -- torch.norm(x, [p], [dim])
    assert.same({ { 'a', false }, { 'b', false } }, optional 'mm')
  end)

  it('knows no op of another name', function() assert.is_nil(torch.ops.noSuchOp) end)
end)
