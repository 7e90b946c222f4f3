--- Declares a class of modules: from one table come its constructor with its checks, `parameters`, Torch7's three methods, the call on
-- the tape, what files leave out, how it prints, help, and what the specs' sweep makes of it.
--
--     local Scale, parent = require 'nn'.declare {
--       name = 'nn.Scale',
--       options = { { 'size', 'int', min = 1 }, { 'factor', 'number', default = 1, field = 'factor' } },
--       parameters = { { 'weight', function(options) return options.size end } },
--       formula = 'mul(cmul(input, weight), factor)',
--       samples = { { 'Scale(3)', { 4, 3 }, rows = true } },
--     }
--
-- The fields of the declaration, of which only the name must be there:
--
--     name, parent   of the class, and of its parent: 'nn.Module'
--     options        the constructor's arguments, in order, which it takes in a table by their names, too: {name, kind, min =, max =,
--                    default =, optional =, field =}. A kind is 'int',
--                    'number', 'boolean', 'inplace' (Torch7's flag), 'string', 'tensor', 'module', or 'any'. A value is checked, and kept
--                    in the field where one is named. A constructor of another form is written as a method `__init` instead;
--                    without options, parameters and buffers it is the parent's
--     parameters     {name, sizes}, in order: sizes is a function of the table of options that gives them, or nothing where
--                    there is no such parameter; a written `__init` needs the names alone. The gradient is the field
--                    `grad<Name>`; `reset`, a method, draws the values
--     buffers        likewise: tensors that are no parameters, but belong to the module. They begin as zeros
--     formula        what it computes, as an expression of ops (see autograd.expression) of `input`, or of the entries of a table,
--                    `input[1]`, of fields, and of `values`; or a function (self, input) that gives the expression, then those values.
--                    Where there is no single expression, `compute`, a function (self, input) of differentiable ops
--     widens         with `compute`, of tensors with 16 bits: false where the input, fields and children are to be as they are, and not in
--                    float32, as nothing is computed (see nn.support.wide); true where a container's children are parts of what it computes
--     letsGo         with `compute`: a call keeps neither its input nor its result in fields
--     forward, backward  functions (self, input) and (self, input, gradOutput): Torch7's updateOutput and updateGradInput, written out
--                    where they have less to do than to record `compute`
--     otherwise      a function (self, input) of differentiable ops for where such a function gives no expression
--     gradient       the gradient by the input, where Torch7's is another than the ops' rules give, or takes fewer ops: an expression of
--                    `g`, `input`, `output` (what the last forward gave), fields and `values`; a table of such by the formula's text where
--                    a function gives that. The tape has it, too, unless it names `output`, into which programs write on
--     byFields       a function (self, input, gradOutput) that gives the gradient by the input from what the last forward left in fields
--                    (those in `keeps`), where neither ops' rules nor an expression say it; nil where they don't fit
--     values         names of what the function gives after the expression
--     keeps          fields that the second and further results of the formula's outermost op that has some are kept in
--     accepts        a function (self, input) that raises an error where the input, or a field, is none that can be taken
--     dims           numbers of dimensions that the input may have; `accepts` says what is wrong with others
--     skips          with `formula`: a function (self, input, gradOutput) that is asked for a backward whose sizes don't fit; true where it
--                    does nothing, as Torch7's did
--     prepare        a function (self, input, target, anew) called before each forward: it may write fields; into new tensors where it
--                    says `anew`, as the tape may keep those of the last
--     draws          a field of random numbers that `prepare` draws (see nn.support.draw): backward goes by those of the last forward, and
--                    calls on the tape between leave them alone. Implies `once`, and that files leave it out
--     resized        a function (self, input) called after a forward whose output has another size than the last
--     explain        a function (self, message, input) that raises a better error than the op's
--     shows          the output may be a view of the input, and gradInput one of gradOutput
--     inplace        with the module's field `inplace` the output is written over the input, and gradInput over gradOutput
--     takes          'table' for a table of tensors, 'any' for a tensor or a table; a tensor unless said
--     unusedAsOne    gradInput of entries of a table that the output doesn't depend on is a single zero, expanded, as Torch7 has it
--     once           a forward draws numbers, or changes state
--     transient      fields that files and `clearState` leave out
--     prints         a function (self) that gives what `tostring` shows after the class's name
--     samples        how the specs make one, and sizes of an input for it
--
-- A criterion is declared likewise, with parent = 'nn.Criterion': its functions have the target as a further argument, its formula may name
-- `target`, and gives one element; samples have a target, too.
-- @module nn.support.declare
local torch, check, guard = require 'torch', require 'torch.check', require 'torch.check.guard'
local define = require('torch.class').define
local declaration, install = require 'nn.support.declaration', require 'nn.support.formula'
local composite, byName = require 'nn.support.composite', require 'nn.support.options'.byName

-- What the value of an option must be, by kind.
local kinds = {
  int = check.whole, number = check.number,
  boolean = function(_, _, value) return value and true or false end,
  inplace = function(_, _, value) return check.inplace(value) end,
  string = check.text, tensor = check.tensor,
  module = function(where, name, value) return check.instance(where, name, value, 'a module') end,
  any = function(_, _, value) return value end,
}

-- The same for a class that Torch7 lacks, which refuses fractions.
local exact = setmetatable({ int = check.int }, { __index = kinds })

-- The table of options that the arguments of a constructor are.
local function read(where, options, isExact, ...)
  local values = {}
  for i = 1, #options do
    local option, value = options[i], (select(i, ...))
    if value == nil then value = option.default end
    if value ~= nil or not option.optional then value = (isExact and exact or kinds)[option[2]](where, option[1], value, option) end
    values[option[1]] = value
  end
  return values
end

local function namesOf(spec)
  local names = {}
  for i, option in ipairs(spec.options or {}) do names[i] = option[1] end
  return names
end

local function constructor(spec, parent)
  local options, parameters, buffers = spec.options or {}, spec.parameters or {}, spec.buffers or {}
  local function newTensor(sizes, values)
    local list = { sizes(values) }
    return #list > 0 and torch.Tensor(unpack(list)) or nil
  end
  return function(self, ...)
    local values = read(torch.type(self), options, self.__givesWay, ...)
    parent.__init(self)
    if spec.takes == 'table' then self.gradInput = {} end
    for i = 1, #options do
      if options[i].field then self[options[i].field] = values[options[i][1]] end
    end
    for i = 1, #parameters do
      local tensor = newTensor(parameters[i][2], values)
      if tensor then self:declare(parameters[i][1], tensor) end
    end
    for i = 1, #buffers do
      local tensor = newTensor(buffers[i][2], values)
      if tensor then self[buffers[i][1]] = tensor:zero() end
    end
    if self.reset and (#parameters > 0 or #buffers > 0) then self:reset() end
  end
end

--- Makes a class of modules.
-- @tparam table spec the declaration
-- @treturn table the class, to which methods may be added
-- @treturn table its parent
return function(spec)
  declaration.checked(spec, kinds)
  local source = debug.getinfo(2, 'S').source
  local class, parent = check.call(define, spec.name, spec.parent or 'nn.Module', nil, guard.isOurSource(source))
  class.declaration = spec
  local isMade = spec.options or spec.parameters or spec.buffers or spec.takes == 'table'
  if isMade then class.__init = byName(constructor(spec, parent), namesOf(spec)) end
  if isMade or not spec.parent or spec.parent == 'nn.Criterion' then            -- what help tells of the constructor
    class.declaredInit, class.declaredOptions = class.__init, spec.options or {}
  end
  class.declaredIn = source
  class.takes, class.once, class.transient, class.keeps = spec.takes, spec.once, spec.transient, spec.keeps
  class.byFields, class.unusedAsOne = spec.byFields, spec.unusedAsOne
  if spec.draws then
    class.draws, class.once, class.transient = spec.draws, true, { spec.draws, unpack(spec.transient or {}) }
  end
  local names = {}
  for i, parameter in ipairs(spec.parameters or {}) do names[i] = parameter[1] end
  if #names > 0 then class.parameterNames = names end
  if spec.compute then
    class.compute = spec.compute
    if class.widens ~= false then class.widens = true end
  end
  if spec.widens ~= nil then class.widens = spec.widens end
  if spec.widens and not spec.compute and not spec.formula then composite(class, parent) end
  if spec.letsGo then class.letsGo = spec.compute end
  if spec.formula then install.methods(class, spec, names) end
  if spec.forward then class.updateOutput = spec.forward end
  if spec.backward then class.updateGradInput = spec.backward end
  class.derived = {
    compute = class.compute, updateOutput = class.updateOutput, updateGradInput = class.updateGradInput,
    accGradParameters = class.accGradParameters,
  }
  if spec.prints then
    function class:__tostring__() return torch.type(self) .. spec.prints(self) end
  end
  return class, parent
end
