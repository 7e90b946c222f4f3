--- torch.sweep: tests an op with the sweeps of Moontorch's own ops. For each sample of its declaration it compares the op with a reference
-- in every dtype, memory layout and kind of out argument; it tests errors, derivatives and use of memory.
--
--     torch.sweep('pseudo_huber', { elementwise = function(x, delta) return math.sqrt(x * x + (delta or 1) ^ 2) - (delta or 1) end })
--
-- The sweeps: `forward` (values within `ulp` epsilons, matching NaN and infinities), `layout` (transposed, offset, strided, expanded; for
-- elementwise ops many lengths), `result` (out arguments of any size and position; methods in place), `dtype` (the declared rule, and
-- refusals), `traits` (memory and sizes as declared), `errors` (each argument missing, of a wrong kind or out of range:
-- `op: argument: ...`, and nothing has changed), `gradient` (the derivative and its derivative against differences), `saved` (tensors that
-- change before backward), `extremes` (finite gradients wherever the value is finite), `branches` (first and second derivatives at zeros,
-- ties and ends of domains), `memory` (no leaks; each allocation fails in turn). The package autograd adds `gradient`, `saved`, `extremes`
-- and `branches`.
-- @module torch.sweep
local C, torch = require 'libmoontorch', require 'torch'
local check, class = require 'torch.check', require 'torch.class'
local elements, elementwise = require 'torch.sweep.elements', require 'torch.sweep.elementwise'
local of, sweeps = require('torch.sweep.op').of, require 'torch.sweep.sweeps'

local names = sweeps.names
local fields = {
  reference = 'function', elementwise = 'function', samples = 'string', ulp = 'number', only = 'table',
  except = 'table', poles = 'table', rounded = 'table', constants = 'table', raise = 'boolean',
}

-- Converts a reference for tensors in float64 to one for plain tensors.
local function ofTensors(reference)
  local function tensor(value)
    if type(value) ~= 'table' then return value end
    if value.data then return elements.write('torch.DoubleTensor', value.sizes, value.data) end
    local list = {}
    for i, each in ipairs(value) do list[i] = tensor(each) end
    return list
  end
  local function plain(...)
    local list, count = { ... }, select('#', ...)
    for i = 1, count do
      if torch.isTensor(list[i]) then
        list[i] = elements.read(list[i]:double())
        list[i].type = nil
      end
    end
    return unpack(list, 1, count)
  end
  return function(...)
    local list, count = { ... }, select('#', ...)
    for i = 1, count do list[i] = tensor(list[i]) end
    return plain(reference(unpack(list, 1, count)))
  end
end

local function checkOptions(name, options)
  if type(name) ~= 'string' or torch[name] == nil or not C.opInfo(name, 'name') then
    check.raise(('torch.sweep: name: %s, expected the name of an op'):format(type(name) == 'string' and name or class.type(name)))
  end
  if type(options) ~= 'table' then
    check.raise(('torch.sweep: options: %s, expected a table'):format(class.type(options)))
  end
  for field, value in pairs(options) do
    local expected = fields[field]
    if not expected then
      local allowed = {}
      for known in pairs(fields) do allowed[#allowed + 1] = known end
      table.sort(allowed)
      check.raise(('torch.sweep: options: %s, expected one of %s'):format(tostring(field), table.concat(allowed, ', ')))
    end
    if type(value) ~= expected then
      check.raise(('torch.sweep: options.%s: %s, expected a %s'):format(field, class.type(value), expected))
    end
  end
end

-- Returns the wanted sweeps, and the reasons for excluding the others.
local function chosen(options)
  local known, wanted = {}, {}
  for _, name in ipairs(names) do known[name] = true end
  local function checkName(name, option)
    if not known[name] then
      check.raise(('torch.sweep: options.%s: %s, expected one of %s'):format(option, tostring(name), table.concat(names, ', ')))
    end
  end
  for _, name in ipairs(options.only or names) do
    checkName(name, 'only')
    wanted[name] = true
  end
  for name, reason in pairs(options.except or {}) do
    checkName(name, 'except')
    if type(reason) ~= 'string' then
      check.raise(('torch.sweep: options.except.%s: %s, expected the reason'):format(name, class.type(reason)))
    end
    wanted[name] = nil
  end
  return wanted
end

-- Returns the lines with faults, limited to a size suitable for an error; empty if there are none.
local function shown(wrong)
  local lines = {}
  for i = 1, math.min(#wrong, 8) do lines[i] = wrong[i] end
  if #wrong > 8 then lines[9] = ('and %d more'):format(#wrong - 8) end
  return table.concat(lines, '\n')
end

local Report = {}
Report.__index = Report
function Report:__tostring()
  if #self.wrong > 0 then return ('%s: %d findings\n%s'):format(self.op, #self.wrong, shown(self.wrong)) end
  return ('%s: nothing found by %s'):format(self.op, table.concat(self.passed, ', '))
end

local function swept(name, options)
  local op = of(name)
  op.elementwise = options.elementwise ~= nil
  if options.elementwise then
    local lifting = { float = op.info.result == 'float', mask = op.info.result == 'mask' }
    op.reference = elementwise.lift(options.elementwise, lifting)
  elseif options.reference then
    op.reference = ofTensors(options.reference)
  end
  op.samples = options.samples or op.samples
  op.poles, op.rounded, op.constants = options.poles, options.rounded, options.constants
  if options.ulp then op.info.ulp = options.ulp end
  return op
end

--- Tests an op with the sweeps.
-- @string name of the op, as in torch[name]
-- @tparam table options the expected results, in one of two forms, and further settings:
--
-- * elementwise: a function of numbers that returns a number (for a mask: a boolean), for elementwise ops; omitted arguments are nil
-- * reference: a function of the op's arguments, tensors as DoubleTensors, that returns the results as DoubleTensors or numbers
-- * samples, ulp: replace those of the declaration
-- * only: a list of sweeps, instead of all; except: sweep -> reason for excluding it
-- * poles: situation of `extremes` -> reason for which the gradient is not finite there; rounded: the same, if the rounding of the
--   processor's libraries decides whether it is finite; constants: position of an argument -> reason for which it has no gradient
-- * raise: false to return a report of faults instead of raising an error
-- @treturn table op, passed (a list of sweeps), wrong (a list of sentences), as text by `tostring`
-- @raise with the faults
-- @usage print(torch.sweep('ema', { reference = function(x, alpha, dim) ... end }))
local function run(name, options)
  check.call(checkOptions, name, options)
  local wanted = check.call(chosen, options)
  local op, report = swept(name, options), setmetatable({ op = name, passed = {}, wrong = {} }, Report)
  for _, sweep in ipairs(names) do
    local wrong = wanted[sweep] and sweeps.find(sweep)(op) or {}
    for _, text in ipairs(wrong) do report.wrong[#report.wrong + 1] = sweep .. ': ' .. text end
    if wanted[sweep] and #wrong == 0 then report.passed[#report.passed + 1] = sweep end
  end
  if #report.wrong > 0 and options.raise ~= false then error(tostring(report), 0) end
  return report
end

return setmetatable({ names = names, shown = shown }, { __call = function(_, name, options) return run(name, options) end })
