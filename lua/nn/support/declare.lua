--- Declares a class of modules. One table defines its constructor with checks, `parameters`, Torch7's three methods, the call on the tape,
-- the fields that files leave out, its text form, help, and its tests in the specs' sweep.
--
--     local Scale, parent = require 'nn'.declare {
--       name = 'nn.Scale',
--       options = { { 'size', 'int', min = 1 }, { 'factor', 'number', default = 1, field = 'factor' } },
--       parameters = { { 'weight', function(options) return options.size end } },
--       formula = 'mul(cmul(input, weight), factor)',
--       samples = { { 'Scale(3)', { 4, 3 }, rows = true } },
--     }
--
-- The fields of the declaration. Only the name is required:
--
--     name, parent   of the class, and of its parent: 'nn.Module' by default
--     options        the constructor's arguments, in order; callers may also pass them by name in a table: {name, kind, min =, max =,
--                    default =, optional =, field =}. A kind is 'int', 'number', 'boolean', 'inplace' (Torch7's flag), 'string', 'tensor',
--                    'module', 'callable', 'choice' (one of `choices`), 'window' (an integer, or a list of `dims`), 'sizes' (an
--                    integer or a list), 'numbers' (likewise), 'any', or one of nn.support.kinds for convolutions and pooling. The
--                    constructor checks the value, and stores it in `field` if there is one.
--                    For other forms of a constructor, define a method `__init` instead; a class without options, parameters and
--                    buffers has its parent's constructor
--     parameters     {name, sizes}, in order: sizes is a function of the table of options that returns the sizes, or nothing if
--                    there is no such parameter; with a method `__init`, only the names are needed. The gradient is in the field
--                    `grad<Name>`; the method `reset` draws the values
--     buffers        likewise: tensors that belong to the module, but are not parameters. They begin as zeros
--     formula        the computation, as an expression of ops (see autograd.expression) of `input`, or of the entries of a table,
--                    `input[1]`, of fields, and of `values`; or a function (self, input) that returns the expression and then those values.
--                    If a single expression isn't enough, `compute`: a function (self, input) of differentiable ops
--     widens         with `compute`, for 16-bit tensors: false if the input, fields and children must not be converted to float32,
--                    because nothing is computed (see nn.support.wide); true if a container's computation includes its children's
--     letsGo         with `compute`: a call stores neither its input nor its result in fields
--     forward, backward  functions (self, input) and (self, input, gradOutput): Torch7's updateOutput and updateGradInput, defined directly
--                    if that is cheaper than a record of `compute`
--     otherwise      a function (self, input) of differentiable ops, for inputs for which the function `formula` returns no expression
--     gradient       the gradient with respect to the input, if Torch7's differs from that of the ops' rules, or needs fewer ops: an
--                    expression of `g`, `input`, `output` (result of the last forward), fields and `values`; a table of them by the text of
--                    the formula if `formula` is a function. The tape also uses it, unless it names `output`, which programs modify
--     byFields       a function (self, input, gradOutput) that returns the gradient with respect to the input from fields of the last
--                    forward (those in `keeps`), if neither ops' rules nor an expression define it; nil if the fields don't fit
--     values         names of the values that the function returns after the expression
--     keeps          fields for the second and further results of the outermost op with several results in the formula
--     accepts        a function (self, input) that raises an error if the input, or a field, is invalid
--     dims           numbers of dimensions that the input may have; `accepts` raises the error for others
--     skips          with `formula`: a function (self, input, gradOutput), called for a backward whose sizes don't fit; returns true if it
--                    does nothing, as in Torch7
--     sparse         with `formula`, if its ops take a sparse matrix as input: a function (self, gradOutput) that returns the gradient with
--                    respect to it, a dense one
--     prepare        a function (self, input, target, anew), called before each forward, which may write fields; if `anew` is true, it must
--                    use new tensors, because the tape may have saved the former ones
--     draws          a field of random numbers that `prepare` draws (see nn.support.draw): backward uses those of the last forward, and
--                    calls on the tape in between don't change them. Implies `once`, and that files leave it out
--     resized        a function (self, input), called after a forward whose output has another size than the last one
--     explain        a function (self, message, input) that raises a better error than the op's
--     shows          the output may be a view of the input, and gradInput one of gradOutput
--     inplace        if the module's field `inplace` is true, the output is written over the input, and gradInput over gradOutput
--     takes          'table' for a table of tensors, 'any' for a tensor or a table; by default a tensor
--     unusedAsOne    gradInput of table entries that the output doesn't depend on is a single zero, expanded, as in Torch7
--     once           a forward draws numbers, or changes state
--     transient      fields that files and `clearState` leave out
--     prints         a function (self) that returns the text that `tostring` shows after the class's name
--     samples        how the specs construct a module, and input sizes for it
--
-- A criterion is declared likewise, with parent = 'nn.Criterion': its functions have the target as a further argument, its formula may
-- name `target`, and returns one element; samples have a target, too.
-- @module nn.support.declare
local torch, check, guard = require 'torch', require 'torch.check', require 'torch.check.guard'
local define = require('torch.class').define
local declaration, install = require 'nn.support.declaration', require 'nn.support.formula'
local kinds = require 'nn.support.kinds'
local composite, byName = require 'nn.support.composite', require 'nn.support.options'.byName

-- Returns the arguments of a constructor as a table of options.
local function read(where, options, isExact, ...)
  local values, checks = {}, isExact and kinds.exact or kinds.all
  for i = 1, #options do
    local option, value = options[i], (select(i, ...))
    if value == nil then value = option.default end
    if value ~= nil or not option.optional then value = checks[option[2]](where, option[1], value, option) end
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

--- Creates a class of modules.
-- @tparam table spec the declaration
-- @treturn table the class, to which methods may be added
-- @treturn table its parent
return function(spec)
  declaration.checked(spec, kinds.all)
  local source = debug.getinfo(2, 'S').source
  local class, parent = check.call(define, spec.name, spec.parent or 'nn.Module', nil, guard.isOurSource(source))
  class.declaration = spec
  local isMade = spec.options or spec.parameters or spec.buffers or spec.takes == 'table'
  if isMade then class.__init = byName(constructor(spec, parent), namesOf(spec)) end
  if isMade or not spec.parent or spec.parent == 'nn.Criterion' then            -- for help on the constructor
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
