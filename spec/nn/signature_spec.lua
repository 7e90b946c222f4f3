-- Functions with declared arguments (nn.support.signature): positions, names, and the errors for each kind of value.
local torch, signature = require 'torch', require 'nn.support.signature'

local function pack(...) return { n = select('#', ...), ... } end

local f = signature('spec.f', {
  { 'input', 'tensor' }, { 'size', 'window', dims = 2, min = 1 }, { 'scaleFactor', 'number', default = 2, max = 9 },
  { 'mode', 'choice', choices = { 'near', 'far' }, default = 'near' }, { 'bias', 'tensor', optional = true },
}, pack)

describe('A function with declared arguments', function()
  local x = torch.ones(1)

  it('gets a value for each, by position or by name', function()
    assert.same({ n = 5, x, { 3, 3 }, 2, 'near' }, f(x, 3))
    assert.same({ n = 5, x, { 1, 2 }, 5, 'far' }, f(x, { 1, 2 }, 5, 'far'))
    assert.same({ n = 5, x, { 3, 3 }, 4, 'far', x }, f(x, 3, { mode = 'far', scale_factor = 4, bias = x }))
    assert.same({ n = 5, x, { 1, 2 }, 2, 'near' }, f(x, { size = { 1, 2 } }))
    assert.same({ n = 5, x, { 3, 3 }, 4, 'near' }, f(x, 3, 4, nil, nil))
  end)

  for call, message in pairs {
    ['f(x, 3, 2, "near", x, 1)'] = 'spec.f: arguments: 6, expected at most 5',
    ['f()'] = 'spec.f: input: nil, expected a tensor',
    ['f(x)'] = 'spec.f: size: nil, expected an integer or a list of 2',
    ['f(x, { 3 })'] = 'spec.f: size: {3}, expected an integer or a list of 2',
    ['f(x, { 3, 4, 5 })'] = 'spec.f: size: {3, 4, 5}, expected an integer or a list of 2',
    ['f(x, { 3, 0 })'] = 'spec.f: size[2]: 0, expected',
    ['f(x, 0)'] = 'spec.f: size: 0, expected',
    ['f(x, 1.5)'] = 'spec.f: size: 1.5, expected',
    ['f(x, 3, 10)'] = 'spec.f: scaleFactor: 10, expected',
    ['f(x, 3, 2, "nowhere")'] = "spec.f: mode: 'nowhere', expected one of 'near', 'far'",
    ['f(x, 3, { size = 4 })'] = 'spec.f: options: size, which is argument 2 already',
    ['f(x, 3, { factor = 4 })'] = 'spec.f: options: factor, expected one of ',
  } do
    it('refuses ' .. call, function()
      local done, said = pcall(setfenv(assert(loadstring('return ' .. call)), { f = f, x = x }))
      assert.is_false(done)
      assert.truthy(said:find(message, 1, true), said)
    end)
  end
end)
