-- Modules that are formulas: the native path (bindings/lua/nn/formula.cpp) has `compute`'s results on a tape, even if a program changes
-- fields and tensors between the passes. An object with another `compute`, here one that calls the class's, uses the tape.
local torch = require 'torch'
local nn, nested = require 'nn', require 'nn.nested'
local samples, programs = require 'spec.support.nn_samples', require 'spec.support.nn_programs'
local run = require 'nn.support.run'
local assertClose = require('spec.support.close').assertClose

local classes = {}
for _, class in ipairs(samples.classes()) do
  if class.declaration.formula then classes[#classes + 1] = class end
end

-- Cases that no class of nn may have: a gradient by one parameter that reads another, entries of a table by a formula that is a text,
-- parameters in a module that works in place, steps in the middle that are used twice.
local function two() return 3 end
for _, spec in ipairs {
  { name = 'nn.SpecTwoScales', parameters = { { 'left', two }, { 'right', two } },
    formula = 'cmul(tanh(cmul(input, left)), cmul(left, right))', samples = { { 'SpecTwoScales()', { 4, 3 } } } },
  { name = 'nn.SpecFlat', formula = 'floor(input)', samples = { { 'SpecFlat()', { 4, 3 }, hasNoGradient = true } } },
  { name = 'nn.SpecGate', takes = 'table', formula = 'cmul(input[1], sigmoid(input[2]))',
    samples = { { 'SpecGate()', { { 4, 3 }, { 4, 3 } } } } },
  { name = 'nn.SpecInplace', inplace = true, parameters = { { 'weight', two } },
    options = { { 'inplace', 'boolean', default = false, field = 'inplace' } },
    formula = 'cmul(input, weight)', samples = { { 'SpecInplace()', { 4, 3 } } } },
  { name = 'nn.SpecPower', options = { { 'factor', 'number', default = 2, field = 'factor' } }, values = { 'shift' },
    formula = function(self) return 'mul(cmul(add(tanh(input), shift), tanh(input)), factor)', self.factor + 1 end,
    samples = { { 'SpecPower(3)', { 2, 3, 2 }, rows = true } } },
  { name = 'nn.SpecDistance', parent = 'nn.Criterion', options = { { 'weight', 'number', default = 1, field = 'weight' } },
    formula = 'sum(mul(abs(csub(input, target)), weight))', samples = { { 'SpecDistance(2)', { 4, 3 }, { 4, 3 } } } },
} do
  local class = nn.declare(spec)
  function class:reset() torch.noGrad(self.fillIdentity, self) end
  classes[#classes + 1] = class
end

-- The same module or criterion, going the general way.
local function byTape(owner)
  local compute = owner.compute
  function owner.compute(...) return compute(...) end
  return owner
end

-- Records the current values, and the errors of each step.
local function notebook()
  local notes = {}
  local function note(what, value)
    if type(value) == 'number' then value = torch.DoubleTensor { value } end
    for i, x in ipairs(nested.flatten(value == nil and {} or value, {})) do
      notes[#notes + 1] = { ('%s %d'):format(what, i), torch.isTensor(x) and x:detach():clone() or x }
    end
  end
  local function try(what, f, ...)
    torch.manualSeed(7)
    local done, result = pcall(f, ...)
    if done then
      note(what, result)
      return result
    end
    notes[#notes + 1] = { what .. ' fails', tostring(result):gsub('^[^\n]-:%d+: ', '') }
  end
  return notes, note, try
end

-- Both, with 0 where both are no number, as means of nothing are.
local function numbers(a, b)
  a, b = a:double(), b:double()
  if not a:isSameSizeAs(b) then return a, b end
  local neither = torch.cmul(torch.ne(a, a), torch.ne(b, b))
  return torch.where(neither, 0, a), torch.where(neither, 0, b)
end

local function same(expected, got, tolerance, context)
  assert.equal(#expected, #got, context)
  for i, entry in ipairs(expected) do
    local what, value = unpack(entry)
    local whatGot, valueGot = unpack(got[i])
    assert.equal(what, whatGot, context)
    assert.equal(torch.type(value), torch.type(valueGot), ('%s: %s'):format(context, what))
    if torch.isTensor(value) then
      if value:nElement() > 0 then
        value, valueGot = numbers(value, valueGot)
        assertClose(value, valueGot, { atol = tolerance, ofLargest = tolerance }, ('%s: %s'):format(context, what))
      end
    else
      assert.equal(value, valueGot, ('%s: %s'):format(context, what))
    end
  end
end

local function bigger(sample)
  local function more(sizes)
    if type(sizes[1]) ~= 'number' then
      local list = {}
      for i, part in ipairs(sizes) do list[i] = more(part) end
      return list
    end
    return { sizes[1] + 2, unpack(sizes, 2) }
  end
  return setmetatable({ nil, more(sample[2]) }, { __index = sample })
end

-- Lets both ways of a sample's module or criterion go through a program.
local function compare(sample, program)
  local function notesOf(prepare)
    local notes, note, try = notebook()
    if samples.isCriterion(sample.class) then
      program(prepare(samples.criterionOf(sample)), samples.inputOf(sample), samples.targetOf(sample), try, note)
    else
      program(prepare(samples.moduleOf(sample)), samples.inputOf(sample), note, try, samples.inputOf(bigger(sample)))
    end
    return notes
  end
  same(notesOf(byTape), notesOf(function(owner) return owner end), sample.tolerance or 1e-6, samples.nameOf(sample))
end

-- Whether f makes the general way run.
local function goesGeneral(f)
  local general, met = { [run.forward] = true, [run.backward] = true, [run.loss] = true, [run.lossGradient] = true }, false
  debug.sethook(function() met = met or general[debug.getinfo(2, 'f').func] or false end, 'c')
  local done, message = pcall(f)
  debug.sethook()
  assert(done, message)
  return met
end

local function eachSample(ofCriteria, f)
  for _, class in ipairs(classes) do
    for _, sample in ipairs(samples.isCriterion(class) == ofCriteria and samples.of(class) or {}) do f(sample, samples.nameOf(sample)) end
  end
end

for what, list in pairs(programs) do
  local isCriterion = what == 'criterion'
  for program, go in pairs(list) do
    describe(('A %s that is a formula gives what its compute gives on a tape: %s: nn.'):format(what, program), function()
      eachSample(isCriterion, function(sample, name)
        it(name, function() compare(sample, go) end)
      end)
    end)
  end
end

-- Whether the class has a formula for such an input, and not for others only.
local function hasFormula(module, input)
  local formula = module.declaration.formula
  return type(formula) == 'string' or formula(module, input) ~= nil
end

describe('No tape is needed by nn.', function()
  eachSample(false, function(sample, name)
    if sample.hasNoGradient then return end
    it(name, function()
      local module, input = samples.moduleOf(sample), samples.inputOf(sample)
      if not hasFormula(module, input) then return end
      local g = samples.like(module:forward(input), 0.7)
      module:backward(input, g)
      assert.is_false(goesGeneral(function()
        module:forward(input)
        module:backward(input, g)
      end))
    end)
  end)
  eachSample(true, function(sample, name)
    it(name, function()
      local criterion, input, target = samples.criterionOf(sample), samples.inputOf(sample), samples.targetOf(sample)
      criterion:forward(input, target)
      assert.is_false(goesGeneral(function()
        criterion:forward(input, target)
        criterion:backward(input, target)
      end))
    end)
  end)
end)

describe('A table of many tensors', function()
  it('or of too few is known', function()
    for _, input in ipairs { {}, { torch.ones(2) } } do
      assert.error_matches(function() nn.CDivTable():forward(input) end, '^nn%.CDivTable: ')
    end
    assert.error_matches(function() nn.CDivTable():updateOutput 'text' end, '^nn%.CDivTable: input: a string')
  end)

  -- 1 + 1/k has the product 2, 3/2, 4/3 ...: n + 1; and the sum n + H(n).
  for _, count in ipairs { 1, 2, 5, 12, 13, 300 } do
    it(('is folded, %d of them'):format(count), function()
      local input, sum = {}, 0
      for k = 1, count do
        input[k] = torch.DoubleTensor(2):fill(1 + 1 / k)
        sum = sum + 1 + 1 / k
      end
      local g = torch.DoubleTensor { 1, 2 }
      local add, product = nn.CAddTable():double(), nn.CMulTable():double()
      assertClose({ sum, sum }, add:forward(input), 1e-11)
      assertClose(g, add:backward(input, g)[count], 0)
      assertClose({ count + 1, count + 1 }, product:forward(input), 1e-9)
      local last = (count + 1) / (1 + 1 / count)
      assertClose({ last, 2 * last }, product:backward(input, g)[count], 1e-9)
      assert.equal(count, #product.gradInput)
    end)
  end
end)
