-- Classes by nn.declare: checks of constructors, printing, and errors for mistakes in a program's declarations.
local torch = require 'torch'
local nn = require 'nn'
local samples = require 'spec.support.nn_samples'
local assertClose = require('spec.support.close').assertClose

local here = 'spec/nn/declaration_spec.lua:%d+: '

-- (error_matches leaves out the place.)
local function raises(f, pattern)
  local done, message = pcall(f)
  assert.is_false(done)
  assert.matches(pattern, message)
end

-- The text, as a pattern.
local function plain(text) return (text:gsub('%p', '%%%0')) end

-- Values that an option of each kind refuses.
local others = {
  int = { 'text', 1.5, true, {}, 0 / 0, torch.ones(1) }, number = { 'text', true, {}, 0 / 0, torch.ones(1) },
  string = { true, {}, torch.ones(1) }, tensor = { 3, 'text', {} }, module = { 3, 'text', torch.ones(1) }, inplace = { 3, 'text', {} },
}

local function refused(option)
  local list = { unpack(others[option[2]] or {}) }
  if option.min then list[#list + 1] = option.min - 1 end
  if option.max then list[#list + 1] = option.max + 1 end
  return list
end

-- Valid arguments of a class's constructor: those of its first sample, or valid values for the kinds of its options.
local function argumentsOf(class)
  local sample = samples.of(class)[1]
  local inner = sample and sample[1]:match '^[%w_]+(%b())'
  if inner then return { loadstring('local nn, torch = ... return ' .. inner:sub(2, -2))(nn, torch) } end
  local usual = { string = 'text', tensor = torch.ones(1), module = nn.Identity() }
  local arguments = {}
  for i, option in ipairs(class.declaredOptions) do arguments[i] = option.default or usual[option[2]] or option.min or 1 end
  return arguments
end

local function showing(value)
  if torch.isTensor(value) then return 'torch%.DoubleTensor' end
  if type(value) == 'table' then return 'a? ?table' end
  return value ~= value and '%-?nan' or plain(tostring(value))
end

describe('The constructor of', function()
  setup(function() torch.strictNumbers(true) end)      -- fractions are truncated otherwise
  teardown(function() torch.strictNumbers(false) end)

  for _, class in ipairs(samples.classes()) do
    local name, options = class.declaration.name, class.__init == class.declaredInit and class.declaredOptions or {}
    for i, option in ipairs(options) do
      it(('%s says what is wrong with %s'):format(name, option[1]), function()
        local function refuses(value)
          local arguments = argumentsOf(class)
          arguments[i] = value
          local done, message = pcall(function() return class(unpack(arguments, 1, math.max(i, #options))) end)
          assert.is_false(done, ('%s: %s was taken'):format(option[1], tostring(value)))
          if option[2] == 'inplace' then return assert.matches('^' .. here .. 'in%-place flag must be boolean', message) end
          local shown = option[2] == 'tensor' and type(value) or showing(value)
          assert.matches(('^%s%s: %s: %s'):format(here, plain(name), option[1], value == nil and 'nil' or ".-" .. shown), message)
          assert.matches('expected', message)
        end
        for _, value in ipairs(refused(option)) do refuses(value) end
        local mayBeMissing = option.optional or option.default ~= nil or not others[option[2]] or option[2] == 'inplace'
        if not mayBeMissing then refuses(nil) end
      end)
    end

    it(name .. ' makes one, or says what is missing, where nothing is given', function()
      local done, made = pcall(function() return class() end)
      if done then return assert.equal(name, torch.type(made)) end
      assert.matches('^' .. here, made)
      assert.is_nil(made:find 'attempt to', made)
    end)
  end
end)

it('What tostring gives of a declared class is a line that begins with its name', function()
  for _, class in ipairs(samples.classes()) do
    for _, sample in ipairs(samples.of(class)) do
      local made = (samples.isCriterion(class) and samples.criterionOf or samples.moduleOf)(sample)
      local text = tostring(made)
      if not made.modules then                                     -- containers show their children
        assert.equal(class.declaration.name, 'nn.' .. text:match '^[%w_.]+':gsub('^nn%.', ''))      -- as Torch7's, not all say nn
        assert.is_nil(text:find '\n', text)
      end
    end
  end
end)

describe('A class that a program declares', function()
  local count = 0
  local function declare(spec)
    count = count + 1
    spec.name = spec.name or 'nn.SpecDeclared' .. count
    return nn.declare(spec)
  end
  local function size(options) return options.size end

  local function scale(more)
    local spec = {
      options = { { 'size', 'int', min = 1 }, { 'factor', 'number', default = 1, field = 'factor' } },
      parameters = { { 'weight', size } }, buffers = { { 'seen', size } }, formula = 'mul(cmul(input, weight), factor)',
      prints = function(self) return ('(%d)'):format(self.weight:size(1)) end,
    }
    for key, value in pairs(more or {}) do spec[key] = value end
    return declare(spec)
  end

  it('has what the declaration says: parameters, buffers, options, checks, how it prints', function()
    local Scale = scale { name = 'nn.SpecScale' }
    function Scale:reset() self.weight:fill(2) end
    local module = Scale(3, 5)
    assert.equal('nn.SpecScale(3)', tostring(module))
    assertClose({ 2, 2, 2 }, module.weight)
    assertClose({ 0, 0, 0 }, module.gradWeight)
    assertClose({ 0, 0, 0 }, module.seen)
    assert.equal(5, module.factor)
    assert.equal(1, #module:parameters())
    assertClose({ 10, 20, 30 }, module:forward(torch.Tensor { 1, 2, 3 }))
    assertClose({ 10, 10, 10 }, module:backward(torch.Tensor { 1, 2, 3 }, torch.ones(3)))
    assertClose({ 5, 10, 15 }, module.gradWeight)
    raises(function() return Scale() end, '^' .. here .. 'nn%.SpecScale: size: nil, expected a whole number, 1 or more$')
    raises(function() return Scale(2, 'x') end, "^" .. here .. "nn%.SpecScale: factor: 'x', expected a number$")
  end)

  it('may have a package of its own', function()
    _G.specPackage = {}
    scale { name = 'specPackage.Scale' }
    assert.equal('specPackage.Scale', torch.type(_G.specPackage.Scale(2)))
    raises(function() return _G.specPackage.Scale 'x' end, "^" .. here .. "specPackage%.Scale: size: 'x', expected a whole")
    _G.specPackage = nil
    raises(function() scale { name = 'nopackage.Scale' } end, '^' .. here .. '.*nopackage is an invalid module name')
  end)

  it('goes through files and clones', function()
    local module = scale()(3, 4)
    module.weight:copy(torch.Tensor { 1, 2, 3 })
    for _, copy in ipairs { torch.deserialize(torch.serialize(module)), module:clone() } do
      assertClose({ 4, 8, 12 }, copy:forward(torch.ones(3)))
      assertClose({ 4, 4, 4 }, copy:backward(torch.ones(3), torch.Tensor { 1, 0.5, 1 / 3 }):cmul(torch.Tensor { 1, 1, 1 }))
    end
  end)

  it('may be a parent, whose constructor and formula are used', function()
    local Scale = scale()
    local Loud, parent = torch.class('nn.SpecLoudScale', torch.typename(Scale(1)))
    function Loud:__init(length) parent.__init(self, length, 10) end
    local module = Loud(2)
    module.weight:fill(1)
    assertClose({ 10, 10 }, module:forward(torch.ones(2)))
    raises(function() return Loud 'x' end, "^" .. here .. "nn%.SpecLoudScale: size: 'x'")
    function Loud:compute(input) return torch.mul(input, 3) end
    assertClose({ 3, 3 }, module:forward(torch.ones(2)))
    assertClose({ 3, 3 }, module:backward(torch.ones(2), torch.ones(2)))
  end)

  it('raises its own errors at their place', function()
    local Own = scale { accepts = function(_, input) if input:dim() ~= 1 then error 'a vector, please' end end }
    raises(function() Own(2):forward(torch.ones(2, 2)) end, 'declaration_spec%.lua:%d+: a vector, please')
    raises(function() scale()(2):forward 'x' end, 'nn%.SpecDeclared%d+: input: a string, expected a tensor')
  end)

  local weight = { { 'weight', function() return 3 end } }
  for what, case in pairs {
    ['a field that no declaration has'] = { { sise = 3 }, 'nn%.declare: nn%.SpecDeclared%d+: there is no field sise in a declaration' },
    ['a field of a wrong type'] = { { dims = 2 }, 'nn%.declare: nn%.SpecDeclared%d+: dims: 2, expected a table' },
    ['an option of no kind'] = { { options = { { 'size', 'integer' } } },
      "options: size: 'integer', expected one of any, boolean," },
    ['an option that is a name alone'] = { { options = { 'size' } }, "options: 'size', expected {name, kind}, such as" },
    ['sizes that are no function'] = { { parameters = { { 'weight', 3 } } }, 'parameters: weight: 3, expected a function %(options%)' },
    ['a formula that is a number'] = { { formula = 3 }, 'formula: 3, expected a string or function' },
    ['values of a text'] = { { formula = 'tanh(input)', values = { 'n' } }, 'formula: an expression, expected a' },
    ['a name that is none'] = { { name = {} }, 'nn%.declare: name: a table, expected a string' },
    ['a parent that is no class'] = { { parent = 'nn.NoSuchClass' }, "invalid parent class name 'nn%.NoSuchClass'" },
  } do
    it('may not have ' .. what, function()
      raises(function() declare(case[1]) end, '^' .. here .. '.*' .. case[2])
    end)
  end

  it('is a table', function()
    raises(function() nn.declare() end, '^' .. here .. 'nn%.declare: declaration: nil, expected a table')
  end)

  local remedy = '.*write it as `compute`, a function %(self, input%) of differentiable ops'
  for formula, message in pairs {
    ['cmull(input, weight)'] = "formula: 'cmull%(input, weight%)': there is no op cmull; " .. remedy,
    ['cmul(input, weight'] = "formula: 'cmul%(input, weight': expected %) at 19; " .. remedy,
    ['input * weight'] = "formula: 'input %* weight': expected the end at 6; " .. remedy,
    ['inv(input)'] = "formula: 'inv%(input%)': the gradient of inv by its argument 1 is no expression; " .. remedy,
    ['cumprod(input, 2)'] = "formula: 'cumprod%(input, 2%)': the gradient of cumprod by its argument 1 is no expression; " .. remedy,
    ['conv3d(input, weight)'] = "formula: 'conv3d%(input, weight%)': the gradient of conv3d by its argument 1 is no expression; " .. remedy,
    ['cmul(input, wieght)'] = "cmul: arguments: .*nil.*, expected .*; the formula 'cmul%(input, wieght%)' names wieght, which is no field",
    ['cmul(input, weight, 3, 4)'] = 'cmul: arguments: .*, 3, 4%), expected .*',
    ['mm(input, weight)'] = 'mm: ',
  } do
    it(('whose formula is %s is told what is wrong with it'):format(formula), function()
      for _, given in ipairs { formula, function() return formula end } do
        local module = declare { formula = given, parameters = weight } ()
        raises(function() module:forward(torch.ones(2, 3)) end, 'nn%.SpecDeclared%d+: ' .. message)
        if not message:find 'the gradient of' then
          raises(function() module(torch.ones(2, 3):requiresGrad()) end, 'nn%.SpecDeclared%d+: ' .. message)
        end
      end
    end)
  end

  it('whose formula is a function is told what that may give', function()
    raises(function() declare { formula = function() return 3 end } ():forward(torch.ones(2)) end,
      'nn%.SpecDeclared%d+: formula: 3 from the function, expected an expression')
    raises(function() declare { formula = function() end } ():forward(torch.ones(2)) end,
      'nn%.SpecDeclared%d+: formula: nil from the function, expected an expression')
    raises(function() declare { formula = function(_, input) return input.x.y end } ():forward(torch.ones(2)) end,
      'attempt to index')
    raises(function() declare { formula = 'tanh(input)', keeps = { 'other' } } ():forward(torch.ones(2)) end,
      'nn%.SpecDeclared%d+: keeps: other: the formula has no such result')
  end)
end)
