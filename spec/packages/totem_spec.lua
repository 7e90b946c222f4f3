-- The package totem's uses of torch, nn and nngraph: hooks of torch.Tester, nested tables of tensors, which tensors share memory, and
-- that modules return their fields output and gradInput.
local torch, nn = require 'torch', require 'nn'
local nesting = require 'nngraph.nesting'

describe('a subclass of torch.Tester', function()
  it('overrides its hooks, adds files, and finds results in fields', function()
    _G.totem = {}
    local Tester, parent = torch.class('totem.Tester', 'torch.Tester')
    local asserted = 0
    function Tester:_assert_sub(condition, message)
      asserted = asserted + 1
      return parent._assert_sub(self, condition, message)
    end
    function Tester:add(tests, name)
      if type(tests) == 'string' and tests:find '%.lua$' then return parent.add(self, dofile(tests)) end
      return parent.add(self, tests, name)
    end
    local tester = _G.totem.Tester()
    tester._assertTensorEqIgnoresDims = false
    local tests = torch.TestSuite()
    function tests.equal() tester:eq({ 1, torch.ones(2) }, { 1, torch.ones(2) }) end
    function tests.shapes() tester:eq(torch.ones(2), torch.ones(1, 2)) end
    function tests.broken() error 'an accident' end
    tester:add(tests)
    local name = os.tmpname() .. '.lua'
    local file = io.open(name, 'w')
    file:write "local tests = require 'torch'.TestSuite() function tests.inFile() end return tests"
    file:close()
    tester:add(name)
    os.remove(name)
    tester:setSummaryOnly(true)
    tester:setEarlyAbort(false)
    tester:setRethrowErrors(false)
    local found, count = tester:_getTests(), 0
    for _ in pairs(found) do count = count + 1 end
    assert.equal(4, count)
    local write = io.write
    io.write = function() end      -- luacheck: ignore 122
    local good, message = pcall(tester._run, tester, found)
    io.write = write               -- luacheck: ignore 122
    assert.is_true(good, message)
    assert.same({ 1, 0, 1, 2 }, { tester.assertionPass.equal, tester.assertionPass.shapes, tester.assertionFail.shapes, asserted })
    assert.equal(1, tester.testError.broken)
    _G.totem = nil
  end)
end)

describe('nested tables of tensors', function()
  it('are copied, resized, filled and added', function()
    local x = { torch.ones(2), { torch.ones(3), torch.zeros(1) } }
    local copy = nesting.cloneNested(x)
    copy[2][1]:fill(5)
    assert.equal(3, x[2][1]:sum())
    local out = nesting.resizeNestedAs({}, x)
    assert.same({ 2, 3, 1 }, { out[1]:size(1), out[2][1]:size(1), out[2][2]:size(1) })
    nesting.fillNested(out, 2)
    nesting.addNestedTo(out, x)
    assert.same({ { 3, 3 }, { { 3, 3, 3 }, { 2 } } }, { out[1]:totable(), { out[2][1]:totable(), out[2][2]:totable() } })
    nesting.copyNested(out, { torch.zeros(4) })
    assert.same({ 4 }, out[1]:size():totable())
    assert.is_nil(out[2])
    assert.equal(6, nesting.cloneNested(torch.ones(6)):sum())
  end)
end)

describe('tensors', function()
  it('of the same memory are made and told', function()
    local x = torch.range(1, 12):view(3, 4)
    local part = x.new(x:storage(), 2, torch.LongStorage { 2, 2 }, torch.LongStorage { 4, 1 })
    assert.same({ { 2, 3 }, { 6, 7 } }, part:totable())
    assert.is_true(part:isSetTo(x:narrow(1, 1, 2):narrow(2, 2, 2)))
    assert.is_false(part:isSetTo(x))
    assert.is_true(part:storage() == x:storage())
    assert.is_false(part:storage() == torch.ones(2):storage())
  end)
end)

describe('modules', function()
  it('give their fields output and gradInput, the very objects', function()
    local x = torch.randn(2, 3)
    local function checked(module, input, gradOutput)
      local output = module:forward(input)
      assert.is_true(rawequal(output, module.output), tostring(module))
      local gradInput = module:backward(input, gradOutput or output)
      assert.is_true(rawequal(gradInput, module.gradInput), tostring(module))
    end
    local first, last = nn.Linear(3, 2), nn.Tanh()
    local net = nn.Sequential():add(first):add(last)
    checked(net, x)
    assert.is_true(rawequal(net.output, last.output) and rawequal(net.gradInput, first.gradInput))
    checked(nn.ConcatTable():add(nn.Linear(3, 2)):add(nn.Identity()), x, { torch.ones(2, 2), x })
    checked(nn.Concat(2):add(nn.Linear(3, 2)):add(nn.Linear(3, 1)), x)
    checked(nn.ParallelTable():add(nn.Tanh()):add(nn.Linear(3, 2)), { x, x })
    for _, module in ipairs { nn.CAddTable(), nn.CMulTable(), nn.JoinTable(2), nn.DotProduct() } do checked(module, { x, x:clone() }) end
    for _, module in ipairs { nn.SplitTable(2), nn.SelectTable(1), nn.Copy('torch.DoubleTensor', 'torch.DoubleTensor'), nn.View(-1) } do
      local input = torch.type(module) == 'nn.SelectTable' and { x, x } or x
      checked(module, input)
    end
  end)

  it('may be of a class that lies in a field of another package', function()
    _G.totem = {}
    local Copy, parent = torch.class('totem._nn_CopyModule', 'nn.Module')
    function Copy:__init() parent.__init(self) end
    function Copy:updateOutput(input) return self.output:resizeAs(input):copy(input) end
    function Copy:updateGradInput(input, gradOutput) return self.gradInput:resizeAs(input):copy(gradOutput) end
    local net = nn.Sequential():add(_G.totem._nn_CopyModule()):add(nn.Linear(2, 2))
    local x = torch.randn(3, 2)
    local y = net:forward(x)
    assert.same(net:get(2):forward(x):totable(), y:totable())
    net:backward(x, y)
    assert.equal('totem._nn_CopyModule', torch.type(net:clone():get(1)))
    assert.is_true(torch.isTypeOf(torch.factory 'totem._nn_CopyModule'(), 'nn.Module'))
    _G.totem = nil
  end)
end)
