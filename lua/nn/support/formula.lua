--- Modules whose output is one expression of ops: Torch7's methods without a tape.
-- The binding runs the expression, and its gradients by the ops' rules (autograd.formula), on the module's tensors: the output and the
-- gradients overwrite those of the last pass. In cases that it doesn't support (inputs of mixed types, gradients of another shape,
-- errors), it falls back to `compute` on a private tape (nn.support.run), which reports errors.
-- @module nn.support.formula
local torch = require 'torch'
local C, formula, tape = require 'libmoontorch', require 'autograd.formula', require 'autograd.tape'
local run, explain, explained = require 'nn.support.run', require 'nn.support.explain', require('nn.support.declaration').explained
local messages, wide = require 'torch.check.message', require 'nn.support.wide'

local install = {}

local function positionsOf(list)
  local positions = {}
  for i = 1, #list do positions[list[i]] = i end
  return positions
end

-- Returns a number whose bit d says that inputs with d dimensions are accepted.
local function dimsOf(spec)
  local bits = 0
  for _, dims in ipairs(spec.dims or {}) do bits = bits + 2 ^ dims end
  return bits
end

-- Returns the gradient with respect to the input that is declared for a formula.
local function gradientOf(spec, text)
  if type(spec.gradient) == 'table' then return spec.gradient[text] end
  return spec.gradient
end

-- Returns the function to call before each forward. The binding itself checks the input for `dims`.
local function beforeForward(spec)
  local accepts, prepare, once = not spec.dims and spec.accepts or nil, spec.prepare, spec.once or spec.draws
  if not accepts and not once then return prepare end
  return function(self, input, target)
    if once then run.forget(self) end                              -- otherwise an earlier forward's record would count as this one's
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

-- The backward for a sparse input, of whose gradient the tape has the values alone.
local function sparseBackward(spec, self, input, gradOutput, byInput, scale)
  if scale ~= nil then run.backward(self, input, gradOutput, false, scale) end
  if not byInput or self.gradInput == nil then return self.gradInput end
  if scale == nil then explain.gradient(self, gradOutput, self.output) end
  local gradient = torch.noGrad(spec.sparse, self, gradOutput)
  self.gradInput = torch.isTensor(self.gradInput) and self.gradInput:type() == gradient:type() and self.gradInput:set(gradient) or gradient
  return self.gradInput
end

local function isSparse(input) return type(input) == 'table' and torch.isTypeOf(input, 'torch.Sparse') end

local function generalBackward(spec)
  local skips = spec.skips
  if not skips and not spec.sparse then return run.backward end
  return function(self, input, gradOutput, byInput, scale)
    if skips and skips(self, input, gradOutput) then return self.gradInput end
    if spec.sparse and isSparse(input) then return sparseBackward(spec, self, input, gradOutput, byInput, scale) end
    return run.backward(self, input, gradOutput, byInput, scale)
  end
end

local function generalLoss(self, input, target)
  self.output = run.loss(self, input, target)
  return self.output
end

-- Returns the list of names that the binding looks up in a module, and a function from names to positions in it.
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

-- Returns the location of each operand.
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

-- Returns the destination of each gradient: gradInput, an entry of it, or the gradient of a parameter.
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

-- Returns a function that compiles a formula's text for the binding: see bindings/lua/nn/formula_reader.cpp.
local function compiler(spec, parameters, isCriterion)
  local values, keeps = positionsOf(spec.values or {}), spec.keeps or {}
  local keepsSums = isCriterion and #keeps > 0                     -- sums of weights, which need more than 16 bits
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
      names = names, operands = placesOf(compiled.operands, values, isCriterion, nameOf), kept = kept, entries = entries,
      gradients = receiversOf(compiled.gradients, nameOf), forward = formula.graphText(compiled.forward, compiled.operands),
      backward = formula.graphText(compiled.backward, compiled.operands),
      alike = compiled.alike, composed = keepsSums or wide.isComposed(compiled), dims = dimsOf(spec), shows = spec.shows or false,
      inplace = spec.inplace or false,
    }
  end
end

-- Returns a function (self, input, target) that returns whether a class's computation consists of several ops.
local function widening(class, spec, parameters, isCriterion)
  local keepsSums = isCriterion and spec.keeps ~= nil
  local composed = wide.composedTexts(function(text) return gradientOf(spec, text) end, function(text)
    local wanted = { 'input', unpack(parameters) }
    for k in text:gmatch 'input%[(%d+)%]' do wanted[#wanted + 1] = ('input[%d]'):format(k) end
    return wanted
  end)
  local compute = class.compute
  return function(self, input, target)
    if self.compute ~= compute then return false end               -- a subclass's compute
    local text = spec.formula
    if type(text) == 'string' then return keepsSums or composed[text] end
    local done
    done, text = pcall(text, self, input, target)
    return keepsSums or not done or type(text) ~= 'string' or composed[text]
  end
end

-- Returns a formula with a declared gradient as one node of the tape: a function (self, input, values...), with the values by their names.
-- A gradient that names the output is for Torch7's methods only, because programs modify outputs.
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

-- Returns a class's computation in differentiable ops, for the tape and for cases that the formula's program does not support. If the
-- formula needs only the input and fields, and has no side effects, the second result has `evaluate`, the same without checks, and
-- `explain`, which returns the message of `compute` for an error in that.
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
  local last                                                         -- the last formula that was used
  local function call(self, input, target, text, ...)
    last = text
    if not text and spec.otherwise then return spec.otherwise(self, input, target) end
    if type(text) ~= 'string' then
      error(('%s: formula: %s from the function, expected an expression'):format(spec.name, messages.value(text)), 0)
    end
    if isCriterion then return functions[text](self, input, target, ...) end
    return functions[text](self, input, ...)
  end
  local function evaluate(self, input, target)
    last = nil                                                       -- the value is from another module
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
  -- A missing field is a mistake in the formula, or a required argument of the op.
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
    if takesTensor and type(input) == 'number' then explain.refuse(self, input) end     -- ops also accept numbers
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

--- Adds the methods `compute` (unless the class has one), `updateOutput`, `updateGradInput`, `accGradParameters` and `backward` to a class.
-- @tparam table class
-- @tparam table spec the declaration (see nn.support.declare)
-- @tparam {string,...} parameters names of the parameters that have gradients
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
