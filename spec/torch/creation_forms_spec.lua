-- Every op that accepts sizes or draws numbers refuses arguments in the style of other languages, instead of ignoring some of them.
local torch = require 'torch'

-- The ops that make tensors of sizes, or of random numbers, by the registry; and those that are written in Lua.
local function makers()
  local list = {}
  for _, name in ipairs(torch.ops()) do
    local arguments = ' ' .. table.concat(torch.ops[name].arguments, ' ') .. ' '
    local makes = arguments:find ' sizes ' or arguments:find ' generator '
    if makes and not arguments:find ' x ' and type(torch[name]) == 'function' then list[#list + 1] = name end
  end
  local others = 'randint randperm linspace logspace range arange eye zerosLike onesLike fullLike randLike randnLike multinomial'
  for name in others:gmatch '%S+' do list[#list + 1] = name end
  table.sort(list)
  return list
end

local forms = {
  ["2, 3, { dtype = 'float' }"] = function(f) return f(2, 3, { dtype = 'float' }) end,
  ["{ 2, 3 }, { dtype = 'float' }"] = function(f) return f({ 2, 3 }, { dtype = 'float' }) end,
  ["{ 2, 3, dtype = 'float' }"] = function(f) return f { 2, 3, dtype = 'float' } end,
  ['{ size = { 2, 3 } }'] = function(f) return f { size = { 2, 3 } } end,
  ['{ { 2, 3 } }'] = function(f) return f { { 2, 3 } } end,
  ['true'] = function(f) return f(true) end, ['2, true'] = function(f) return f(2, true) end,
  ["2, 3, 'no type'"] = function(f) return f(2, 3, 'no type') end,
}

describe('A form that is not there is refused by', function()
  local count = 0
  for _, name in ipairs(makers()) do
    for form, call in pairs(forms) do
      count = count + 1
      it(('torch.%s(%s)'):format(name, form), function()
        local done, message = pcall(call, torch[name])
        assert.is_false(done)
        assert.matches(('%s: %%w+: '):format(name), message:gsub('to: dtype', name .. ': typeName'))
        assert.is_nil(message:find('attempt to', 1, true))
      end)
    end
  end
  it('more than twenty functions', function() assert.is_true(count > 20 * 8) end)
end)

describe('Constructors', function()
  for code, expected in pairs {
    ["torch.Tensor { 2, 3, dtype = 'float' }"] = 'tensor: table: the field dtype, expected numbers alone',
    ['torch.FloatTensor { 1, requires_grad = true }'] = 'tensor: table: the field requires_grad',
    ["torch.Tensor({ 2, 3 }, 'float')"] = 'tensor: arguments: a table and a string, expected a table alone',
    ["torch.Tensor({ 2, 3 }, { dtype = 'float' })"] = 'tensor: arguments: a table and a table',
    ["torch.tensor({ 2, 3 }, { dtype = 'float' })"] = 'tensor: typeName: table',
    ["torch.Tensor(2, 3, { dtype = 'float' })"] = 'tensor: sizes: table',
    ['torch.LongStorage { size = { 2, 3 } }'] = 'storage: table: it has fields and no element 1',
    ["torch.zeros { 2, 3, dtype = 'float' }"] = 'zeros: sizes: a table with the field dtype, expected .*; a type is an argument of its own',
    ['torch.ones(4):view { 2, 2, order = 1 }'] = 'view: sizes: a table with the field order, expected whole numbers alone',
    ["torch.randint(0, 3, { 2 }, { dtype = 'int' })"] = 'randint: arguments: sizes before the last argument',
    ["torch.randint(0, 3, { 2, dtype = 'int' })"] = 'randint: sizes: the field dtype',
    ['torch.zerosLike(torch.ones(2), 3)'] = "zerosLike: typeName: number, expected a name such as 'float'",
  } do
    it('refuse ' .. code, function()
      assert.error_matches(function() loadstring('local torch = ... return ' .. code)(torch) end, expected)
    end)
  end

  it('accept the table of table.pack, and tables with other fields', function()
    assert.same({ 2, 3 }, torch.Tensor({ 2, 3, n = 2 }):totable())
    assert.same({ 2, 3 }, torch.zeros({ 2, 3, n = 2 }):size():totable())
    assert.same({ 2, 3 }, torch.Tensor({ 2, 3, name = 'own' }):totable())
  end)

  it('of NumPy\'s kind take a type by its name', function()
    local x = torch.ones(2, 2)
    assert.equal('torch.FloatTensor', torch.zerosLike(x, 'float'):type())
    assert.equal('torch.LongTensor', torch.fullLike(x, 3, 'torch.LongTensor'):type())
    assert.same({ { 3, 3 }, { 3, 3 } }, torch.fullLike(x, 3, 'long'):totable())
    assert.equal('torch.IntTensor', torch.randint(3, { 2 }, 'int'):type())
    assert.equal('torch.FloatTensor', torch.randint(2, 3, { 4 }, torch.float32):type())
    assert.same({ 2, 2, 2, 2 }, torch.randint(2, 3, { 4 }, torch.float32):totable())
  end)
end)
