--- Modules whose output is one expression of ops: Torch7's methods without a tape.
-- The binding runs the expression, and its gradients by the ops' rules (autograd.formula), on the module's own tensors: the output and the
-- gradients are written where the last pass left theirs. What it can't take (inputs of mixed types, gradients of another shape, errors)
-- goes the general way, by `compute` on a private tape (nn.support.run), which tells what is wrong.
-- @module nn.support.formula
local C, formula, tape = require 'libmoontorch', require 'autograd.formula', require 'autograd.tape'
local run, explain, explained = require 'nn.support.run', require 'nn.support.explain', require('nn.support.declaration').explained
local messages, wide = require 'torch.check.message', require 'nn.support.wide'

local install = {}

local function positionsOf(list)
  local positions = {}
  for i = 1, #list do positions[list[i]] = i end
  return positions
end

-- Bit d: d dimensions are taken.
local function dimsOf(spec)
  local bits = 0
  for _, dims in ipairs(spec.dims or {}) do bits = bits + 2 ^ dims end
  return bits
end

-- The gradient by the input that is declared for a formula.
local function gradientOf(spec, text)
  if type(spec.gradient) == 'table' then return spec.gradient[text] end
  return spec.gradient
end

-- What is called before each forward: what `dims` says of the input, the binding looks at itself.
local function beforeForward(spec)
  local accepts, prepare, once = not spec.dims and spec.accepts or nil, spec.prepare, spec.once or spec.draws
  if not accepts and not once then return prepare end
  return function(self, input, target)
    if once then run.forget(self) end                              -- of an earlier forward, which would go for this one's
    if accepts then accepts(self, input, target) end
    if prepare then prepare(self, input, target) end
  end
end

local function generalForward(spec)
  if not spec.resized then return run.forward end
  return function(self, input)
    local output = run.forward(self, input)
    spec.resized(self, input)
    return output
  end
end

local function generalBackward(spec)
  if not spec.skips then return run.backward end
  return function(self, input, gradOutput, byInput, scale)
    if spec.skips(self, input, gradOutput) then return self.gradInput end
    return run.backward(self, input, gradOutput, byInput, scale)
  end
end

local function generalLoss(self, input, target)
  self.output = run.loss(self, input, target)
  return self.output
end

-- The list of names that the binding looks up in a module, and what gives a name's position there.
local function nameList()
  local names, position = {}, {}
  local function positionOf(name)
    if not position[name] then
      names[#names + 1] = name
      position[name] = #names
    end
    return position[name]
  end
  return names, positionOf
end

-- Where each operand is found.
local function placesOf(operands, values, isCriterion, nameOf)
  local places = {}
  for i, operand in ipairs(operands) do
    if operand.entry then
      places[i] = { from = 'entry', operand.entry }
    elseif operand.kept then
      places[i] = { from = 'kept', nameOf(operand.name) }
    elseif operand.name == 'input' or isCriterion and operand.name == 'target' then
      places[i] = { from = operand.name }
    elseif values[operand.name] then
      places[i] = { from = 'value', values[operand.name] - 1 }
    else
      places[i] = { from = 'field', nameOf(operand.name) }
    end
  end
  return places
end

-- Where each gradient goes: to gradInput, an entry of it, or the gradient of a parameter.
local function receiversOf(gradients, nameOf)
  local receivers = {}
  for i, name in ipairs(gradients) do
    local entry = name:match '^input%[(%d+)%]$'
    if name == 'input' or entry then
      receivers[i] = { tonumber(entry) or 0 }
    else
      receivers[i] = { parameter = true, nameOf('grad' .. name:sub(1, 1):upper() .. name:sub(2)) }
    end
  end
  return receivers
end

-- What gives a formula's text as the binding takes it: see bindings/lua/formula_reader.cpp.
local function compiler(spec, parameters, isCriterion)
  local values, keeps = positionsOf(spec.values or {}), spec.keeps or {}
  local keepsSums = isCriterion and #keeps > 0                     -- of weights, for which 16 bits have no room
  return function(text)
    local entries, wanted, results, kept = 0, { 'input' }, {}, {}
    local names, nameOf = nameList()
    for k in text:gmatch 'input%[(%d+)%]' do entries = math.max(entries, tonumber(k)) end
    for i = 1, entries do wanted[1 + i] = ('input[%d]'):format(i) end
    for i = 1, #parameters do wanted[#wanted + 1] = parameters[i] end
    for k = 1, #keeps do results[k + 1] = keeps[k] end
    local compiled = explained(spec.name, formula.compile, text, wanted, results, gradientOf(spec, text), spec.shows)
    for k = 1, #keeps do kept[k] = nameOf(keeps[k]) end
    return {
      text = text, names = names, operands = placesOf(compiled.operands, values, isCriterion, nameOf), kept = kept, entries = entries,
      gradients = receiversOf(compiled.gradients, nameOf), forward = compiled.forward, backward = compiled.backward,
      alike = compiled.alike, composed = keepsSums or wide.isComposed(compiled), dims = dimsOf(spec), shows = spec.shows or false,
      inplace = spec.inplace or false,
    }
  end
end

-- A function (self, input, target) that tells whether what a class computes is made of several ops.
local function widening(class, spec, parameters, isCriterion)
  local keepsSums = isCriterion and spec.keeps ~= nil
  local composed = wide.composedTexts(function(text) return gradientOf(spec, text) end, function(text)
    local wanted = { 'input', unpack(parameters) }
    for k in text:gmatch 'input%[(%d+)%]' do wanted[#wanted + 1] = ('input[%d]'):format(k) end
    return wanted
  end)
  local compute = class.compute
  return function(self, input, target)
    if self.compute ~= compute then return false end               -- a subclass's own
    local text = spec.formula
    if type(text) == 'string' then return keepsSums or composed[text] end
    local done
    done, text = pcall(text, self, input, target)
    return keepsSums or not done or type(text) ~= 'string' or composed[text]
  end
end

-- A formula with a gradient of its own, as one node of the tape: a function (self, input, values...), the values by their names. A gradient
-- that names the output is that of Torch7's methods alone: programs write on into outputs.
local function asNode(spec, text, values)
  local gradient, names, isValue, arguments, wanted = gradientOf(spec, text), {}, positionsOf(values), { 'input' }, {}
  for i, operand in ipairs(formula.compile(text, { 'input' }, nil, gradient).operands) do names[i] = operand.name end
  for _, name in ipairs(names) do
    if name ~= 'input' then arguments[#arguments + 1] = name end
  end
  for i = 2, #arguments do wanted[i - 1] = isValue[arguments[i]] or arguments[i] end
  local forward = formula.inLua(text, { unpack(arguments, 2) })
  local node = tape.declare(spec.name, function(input, ...)
    local output = forward(nil, input, ...)
    return type(output) == 'number' and input.new(1):fill(output) or output         -- sums off the tape are numbers
  end, { arguments = arguments, gradient })
  return function(self, input, ...)
    local given = {}
    for i = 1, #wanted do
      if type(wanted[i]) == 'number' then given[i] = (select(wanted[i], ...)) else given[i] = self[wanted[i]] end
    end
    return node(input, unpack(given, 1, #wanted))
  end
end

-- What a class computes, in differentiable ops: for the tape, and for what the formula's program does not support. Second, where the
-- formula needs only the input and fields, and leaves nothing behind: `evaluate`, the same without checks, and `explain`, which returns the
-- message of `compute` for an error in that.
local function computeOf(spec, isCriterion)
  local isText, keeps, values = type(spec.formula) == 'string', spec.keeps, { unpack(spec.values or {}) }
  if isCriterion then table.insert(values, 1, 'target') end
  local isGiven = positionsOf(values)
  isGiven.input = 0
  local functions = setmetatable({}, { __index = function(known, text)
    local gradient = gradientOf(spec, text)
    local isNode = gradient and not gradient:find '%f[%a]output%f[%A]'
    known[text] = isNode and asNode(spec, text, values) or explained(spec.name, formula.inLua, text, values, 1 + #(keeps or {}))
    return known[text]
  end })
  local last                                                         -- the formula that was taken
  local function call(self, input, target, text, ...)
    last = text
    if not text and spec.otherwise then return spec.otherwise(self, input, target) end
    if type(text) ~= 'string' then
      error(('%s: formula: %s came from the function, an expression was expected'):format(spec.name, messages.value(text)), 0)
    end
    if isCriterion then return functions[text](self, input, target, ...) end
    return functions[text](self, input, ...)
  end
  local function evaluate(self, input, target)
    last = nil                                                       -- another module's
    if isText then return call(self, input, target, spec.formula) end
    return call(self, input, target, spec.formula(self, input, target))
  end
  local function kept(self, output, ...)
    for i = 1, #keeps do
      local result = select(i, ...)
      if result == nil then error(('%s: keeps: %s: the formula has no such result'):format(spec.name, keeps[i]), 0) end
      self[keeps[i]] = result:detach()
    end
    return output
  end
  -- A field that is not there is a slip in the formula, or none that the op can do without.
  local function raise(self, message)
    for _, operand in ipairs(type(message) == 'string' and message:find 'nil' and last and formula.names(last) or {}) do
      local name = operand.name
      if not isGiven[name] and self[name] == nil then
        message = ("%s; the formula '%s' names %s, which is no field of the module"):format(message, last, name)
      end
    end
    error(message, 0)
  end
  local function settled(self, input, target, done, output, ...)
    if not done and spec.explain then spec.explain(self, output, input, target) end
    if not done then raise(self, output) end
    if keeps then return kept(self, output, ...) end
    return output
  end
  local takesTensor = not isCriterion and not spec.takes
  local function compute(self, input, target)
    if takesTensor and type(input) == 'number' then explain.refuse(self, input) end     -- ops take numbers, too
    if spec.accepts then spec.accepts(self, input, target) end
    if spec.prepare then spec.prepare(self, input, target, true) end
    local output = settled(self, input, target, pcall(evaluate, self, input, target))
    if spec.inplace and self.inplace then return input:copy(output) end
    return output
  end
  if not takesTensor or keeps or spec.accepts or spec.prepare or spec.draws or spec.once then return compute end
  local expression = { compute = compute, evaluate = evaluate }
  if spec.inplace then
    function expression.evaluate(self, input)
      local output = evaluate(self, input)
      return self.inplace and input:copy(output) or output
    end
  elseif isText then
    function expression.evaluate(...)
      expression.evaluate = functions[spec.formula]
      return expression.evaluate(...)
    end
  end
  function expression.explain(self, message, input)
    last = isText and spec.formula or last
    return select(2, pcall(settled, self, input, nil, false, message))
  end
  return compute, expression
end

--- Gives a class the methods `compute`, unless it has one, `updateOutput`, `updateGradInput`, `accGradParameters` and `backward`.
-- @tparam table class
-- @tparam table spec the declaration (see nn.support.declare)
-- @tparam {string,...} parameters names of those that have gradients
function install.methods(class, spec, parameters)
  local isText, isCriterion = type(spec.formula) == 'string', class.accGradParameters == nil
  if not rawget(class, 'compute') then
    class.compute, class.expression = computeOf(spec, isCriterion)
  end
  class.letsGo = not isCriterion and class.compute or nil
  class.widens = widening(class, spec, parameters, isCriterion)
  class.updateOutput, class.updateGradInput, class.accGradParameters, class.backward = C.formulaMethods {
    text = isText and spec.formula or nil, choose = not isText and spec.formula or nil, prepare = beforeForward(spec),
    resized = spec.resized, compute = class.compute, forward = isCriterion and generalLoss or generalForward(spec),
    backward = isCriterion and run.lossGradient or generalBackward(spec), compile = compiler(spec, parameters, isCriterion),
    criterion = isCriterion, replaced = run.replaced, casts = run.casts,
  }
end

return install
