--- Optimisers for programs on the tape, where the field `grad` of each parameter has its gradient: the base of optim.SGD, optim.Adam, ...
--
-- Formulas and defaults are those of PyTorch's class of the same name; options have Torch7's names. Fields: `parameters`, a list of all
-- parameters; `groups`, tables of a list `parameters` and options of their own; `config`, options of the groups that have none of their
-- own; `state`, a table for each parameter. Options may change between steps.
-- @usage local steps = optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.1, momentum = 0.9 })
-- steps:zeroGrad()
-- criterion(net(input), target):backward()
-- steps:step()
-- @classmod optim.Optimizer
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local masters, rules, begin = require 'optim.masters', require 'optim.rules', require 'optim.begin'
local rows, RowGradient = require 'optim.rows', require 'autograd.row_gradient'
local gathered, lists, steady = require 'optim.gathered', require 'optim.lists', require 'optim.steady'
local replaced, mode = require 'torch.tensor.replaced', require 'autograd.mode'
local kindOf = require('torch.check.message').kind

local Optimizer = torch.class 'optim.Optimizer'

local function isPlain(value) return type(value) == 'table' and not torch.typename(value) end
local function isList(value) return isPlain(value) and torch.isTensor(value[1]) end
local function areGroups(value) return isPlain(value) and isPlain(value[1]) and not torch.isTensor(value[1]) end

-- Returns the list without duplicates: the parameters of a module that occurs twice in a network occur twice.
local function distinct(where, parameters)
  local met, list = {}, {}
  for i, parameter in ipairs(parameters) do
    if not torch.isTensor(parameter) then
      check.raise(('%s: parameters: number %d: %s, expected a tensor'):format(where, i, kindOf(parameter)))
    elseif not parameter:isFloatingPoint() then
      check.raise(('%s: parameters: number %d: a %s, expected a tensor of floats'):format(where, i, parameter:type()))
    end
    if not met[parameter] then list[#list + 1] = parameter end
    met[parameter] = true
  end
  return list
end

local function refuseParameters(where, value)
  local hint = torch.typename(value) and not torch.isTensor(value) and ': net:parameters() gives one' or ''
  check.raise(('%s: parameters: %s, expected a list of tensors%s'):format(where, kindOf(value), hint))
end

-- Checks a group; returns its list of parameters.
local function groupOf(self, where, group)
  if not isList(group.parameters) and not (isPlain(group.parameters) and next(group.parameters) == nil) then
    if group.parameters == nil and group.params ~= nil then check.raise(where .. ': params, expected parameters') end
    refuseParameters(where, group.parameters)
  end
  rules.checkOptions(where, self._rule, group, 'parameters')
  local parameters = distinct(where, group.parameters)
  local options = rules.options(self._rule, group, self.config)
  if self._rule.verify then self._rule.verify(where, options) end
  for _, parameter in ipairs(self._rule.verifyParameter and parameters or {}) do self._rule.verifyParameter(where, parameter) end
  return parameters
end

-- Makes the list of all parameters from those of the groups.
local function collect(self)
  local all = {}
  for _, group in ipairs(self.groups) do
    for _, parameter in ipairs(group.parameters) do all[#all + 1] = parameter end
  end
  self.parameters = #self.groups == 1 and self.groups[1].parameters or all
end

local function add(self, where, group)
  local parameters = groupOf(self, where, group)
  local met = {}
  for _, parameter in ipairs(self.parameters) do met[parameter] = true end
  for i, parameter in ipairs(parameters) do
    check.that(not met[parameter], ('%s: parameters: number %d is in another group'):format(where, i))
  end
  local own = {}
  for name, value in pairs(group) do own[name] = value end
  own.parameters = parameters
  self.groups[#self.groups + 1] = own
  collect(self)
end

--- @tparam {torch.Tensor,...}|{table,...} parameters tensors that require a gradient; duplicates are ignored. Or groups: tables of a list
--   `parameters` and options that only they have
-- @tparam[opt] table config options, which may change between steps. A list of gradients, which `net:parameters()` returns after the
--   parameters, is not a config and is ignored
-- @raise if an option is unknown or out of range, or a parameter is no tensor of floats
function Optimizer:__init(parameters, config)
  local where = torch.typename(self)
  check.that(self._rule, where .. ': a base class without a rule, expected optim.SGD, optim.Adam, ...')
  if not isPlain(parameters) or next(parameters) ~= nil and not isList(parameters) and not areGroups(parameters) then
    refuseParameters(where, parameters)
  end
  if isList(config) then config = nil end
  if config ~= nil then
    begin.check(where, config)
    rules.checkOptions(where .. ': config', self._rule, config)
  end
  self.config, self.state, self.groups, self.parameters, self.seen = config or {}, {}, {}, {}, replaced.count
  if areGroups(parameters) then
    for i, group in ipairs(parameters) do
      if not isPlain(group) then check.raise(('%s: group %d: %s, expected a table with parameters'):format(where, i, kindOf(group))) end
      add(self, ('%s: group %d'):format(where, i), group)
    end
  else
    add(self, where, { parameters = parameters })
  end
end

-- Continues with the tensors that replaced its parameters, for example in net:float(); the state follows their type and device.
local function follow(self)
  local offset = 0
  for _, group in ipairs(self.groups) do
    local list = {}
    for i, parameter in ipairs(group.parameters) do
      local latest = replaced.latest(parameter)
      list[i] = latest
      if latest ~= parameter and C.kindOf(latest) ~= C.kindOf(parameter) then self:_cast(self.state[offset + i], latest) end
    end
    offset = offset + #list
    group.parameters = list
  end
  collect(self)
  self.seen = replaced.count
end

-- Returns tensors in another type, those of tables in place.
local function inType(value, typename)
  if torch.isTensor(value) then
    return value:isFloatingPoint() and C.kindOf(value) ~= typename and torch.to(value, typename) or value
  end
  if type(value) ~= 'table' then return value end
  for key, part in pairs(value) do value[key] = inType(part, typename) end
  return value
end

-- Converts a parameter's state to the type of its steps.
function Optimizer:_cast(state, parameter)
  if state == nil then return end
  local isShort = parameter:elementSize() == 2
  if isShort and rules.options(self._rule, self.config, self.config).masterWeights then parameter = parameter.new():_as 'Float' end
  inType(state, C.kindOf(parameter))
end

local function current(self)
  if replaced.count ~= self.seen then follow(self) end
end

-- The key of a state: steps of parameters with equal keys have the same rates.
local function keyOf(rule)
  if rule.key then return rule.key end
  local counter, number = rule.counter, next(rule.scalars or {})
  if not number then return function(state) return state[counter] end end
  return function(state) return ('%d %.17g'):format(state[counter], state[number]) end
end

-- Calls f for lists of the parameters, gradients and states whose states have equal keys: usually once.
local function eachKey(rule, xs, gradients, states, f)
  local key = keyOf(rule)
  local first, isOne = key(states[1]), true
  for i = 2, #states do isOne = isOne and key(states[i]) == first end
  if isOne then return f(xs, gradients, states) end
  local order, byKey = {}, {}
  for i = 1, #states do
    local k = key(states[i])
    if not byKey[k] then
      byKey[k] = { {}, {}, {} }
      order[#order + 1] = k
    end
    local list = byKey[k]
    local n = #list[1] + 1
    list[1][n], list[2][n], list[3][n] = xs[i], gradients[i], states[i]
  end
  for _, k in ipairs(order) do f(byKey[k][1], byKey[k][2], byKey[k][3]) end
end

-- Replaces 16-bit parameters by their masters, and gradients by those in float32.
local function useMasters(xs, gradients, states)
  for i = 1, #xs do
    if masters.isShort(xs[i]) then
      states[i].master = masters.of(xs[i], states[i].master)
      xs[i], gradients[i] = states[i].master, gradients[i]:float()
    end
  end
end

-- Optimiser -> group -> its small parameters, gathered.
local gatheredOf = setmetatable({}, { __mode = 'k' })

-- Makes the steps of a rule of single parameters: of small ones together if the rule is elementwise.
local function eachParameter(self, group, options, xs, gradients, states)
  local rule, done = self._rule, {}
  if rule.isElementwise and #xs > 1 then
    local known = gatheredOf[self] or {}
    gatheredOf[self] = known
    known[group] = gathered(rule, xs, gradients, states, options, known[group])
    for _, i in ipairs(known[group] and known[group].at or {}) do done[i] = true end
  end
  for i = 1, #xs do
    if not done[i] then rule.each(xs[i], gradients[i], options, states[i]) end
  end
end

-- A list of parameters -> whether they are on several devices: asking each at every step would take a fifth of the time of small ones.
local spread = setmetatable({}, { __mode = 'k' })

local function isSpread(parameters)
  if spread[parameters] == nil then
    spread[parameters] = false
    for _, x in ipairs(parameters) do spread[parameters] = spread[parameters] or x:device() ~= parameters[1]:device() end
  end
  return spread[parameters]
end

-- Makes the step of several parameters by the op of the rule.
local function launch(rule, options, xs, gradients, states)
  local names, columns, first = rule.fields(options), {}, states[1]
  local isFirst = names[1] ~= nil and not first[names[1]]
  for k, name in ipairs(names) do
    lists.fill(states, name, xs, rule.start and rule.start(name, options))
    columns[k] = {}
    for i = 1, #states do columns[k][i] = states[i][name] end
  end
  rule.launch(xs, gradients, columns, options, first, isFirst)
  for name in pairs(rule.scalars or {}) do
    for i = 2, #states do states[i][name] = first[name] end
  end
end

local function advance(self, group, options, xs, gradients, states)
  local rule = self._rule
  local originals
  if options.masterWeights then
    originals = {}
    for i = 1, #xs do originals[i] = xs[i] end
    useMasters(xs, gradients, states)
  end
  if options.maximize then
    for i = 1, #gradients do gradients[i] = torch.neg(gradients[i]) end
  end
  if rule.launch then
    local function together(x, g, s) launch(rule, options, x, g, s) end
    if isSpread(group.parameters) then
      lists.eachDevice(function(x, g, s) eachKey(rule, x, g, s, together) end, xs, gradients, states)
    else
      eachKey(rule, xs, gradients, states, together)
    end
  else
    eachParameter(self, group, options, xs, gradients, states)
  end
  local counter = rule.counter
  for i = 1, #states do states[i][counter] = states[i][counter] + 1 end
  for i = 1, originals and #xs or 0 do masters.follow(originals[i], xs[i]) end
end

-- Raises an error for gradients that the algorithm does not accept, before a step changes anything.
local function checkRows(self)
  local where, offset = torch.typename(self), 0
  for _, group in ipairs(self.groups) do
    local options = rules.options(self._rule, group, self.config)
    for i, x in ipairs(group.parameters) do rows.check(where, self._rule, options, offset + i, x.grad) end
    offset = offset + #group.parameters
  end
end

-- Checks the options again: a program may change the tables between steps.
local function recheck(self)
  local where = torch.typename(self)
  if next(self.config) ~= nil then rules.recheckOptions(where .. ': config', self._rule, self.config) end
  if #self.groups == 1 and next(self.groups[1], next(self.groups[1])) == nil then return end      -- it has parameters alone
  for i, group in ipairs(self.groups) do
    rules.recheckOptions(('%s: group %d'):format(where, i), self._rule, group, 'parameters')
  end
end

-- Makes the step of a group; its first parameter has the state after number `offset`. Returns the number of parameters.
local function stepGroup(self, group, offset)
  local rule, parameters, states = self._rule, group.parameters, self.state
  local options = rules.options(rule, group, self.config)
  local isUsual = rule.launch and not options.maximize and not options.masterWeights
  if isUsual and #parameters > 0 then
    if rule.verify then rule.verify(torch.typename(self), options) end
    if mode.noGrad(steady.step, rule, group, states, offset, options) then return #parameters end
  end
  local xs, gradients, own, n, withRows = {}, {}, {}, 0, 0
  for i = 1, #parameters do
    local gradient = parameters[i].grad
    if gradient then
      local state = states[offset + i]
      if not state then
        state = { [rule.counter] = 0 }
        for name, value in pairs(rule.scalars or {}) do state[name] = value end
        states[offset + i] = state
      end
      if torch.isTensor(gradient) then
        n = n + 1
        xs[n], gradients[n], own[n] = parameters[i], gradient, state
      else
        withRows = withRows + 1
        mode.noGrad(rows.step, rule, parameters[i], gradient, options, state)
      end
    end
  end
  if n > 0 then
    if rule.verify then rule.verify(torch.typename(self), options) end
    mode.noGrad(advance, self, group, options, xs, gradients, own)
    if isUsual and n == #parameters then mode.noGrad(steady.prepare, rule, group, own, options) end
  end
  return n + withRows
end

local function refuseUntracked(self)
  for _, parameter in ipairs(self.parameters) do
    if parameter:isTracked() then return end
  end
  check.that(#self.parameters == 0, torch.typename(self) .. ': parameters: none requires a gradient; net:requiresGrad():parameters() do')
end

--- Updates the parameters by their gradients; those without one stay.
-- @tparam[opt] function closure computes the loss and its gradients, which are used. optim.LBFGS and optim.CG need it: they call it at
--   several points; it returns the loss, after zeroGrad() and backward()
-- @return the result of the closure
-- @raise if no parameter has a gradient, and none can get one, because none requires it; if an option, which the program may have changed,
--   is unknown or out of range; or for a gradient of rows that the algorithm does not accept. Then nothing changes
function Optimizer:step(closure)
  current(self)
  recheck(self)
  if self._rule.search then return require 'optim.search'(self, closure) end
  local loss
  if closure ~= nil then
    check.callable(torch.typename(self) .. '.step', 'closure', closure)
    loss = mode.enableGrad(closure)
  end
  if RowGradient._count > 0 or self._rule.onlyRows then checkRows(self) end
  local offset, found = 0, 0
  for _, group in ipairs(self.groups) do
    found = found + stepGroup(self, group, offset)
    offset = offset + #group.parameters
  end
  if found == 0 then refuseUntracked(self) end
  return loss
end

--- Removes the gradients of all parameters.
function Optimizer:zeroGrad()
  current(self)
  local parameters = self.parameters
  local at = C.removeGradients(parameters, 1)
  while at do
    parameters[at].grad = nil
    at = C.removeGradients(parameters, at + 1)
  end
  for _, group in ipairs(self.groups) do steady.forget(group) end
end

--- Adds parameters with options of their own.
-- @tparam table group a list `parameters` and options
-- @raise if an option is unknown or out of range, or a parameter is in another group
function Optimizer:addGroup(group)
  local where = torch.typename(self) .. '.addGroup: group'
  check.that(isPlain(group), ('%s: %s, expected a table with parameters'):format(where, kindOf(group)))
  current(self)
  add(self, where, group)
end

-- The table from which a group has an option.
local function holder(self, group, name) return #self.groups == 1 and group[name] == nil and self.config or group end

local function groupAt(self, where, i)
  return self.groups[check.int(where, 'group', i, { min = 1, max = #self.groups })]
end

--- Returns an option of a group.
-- @string name
-- @tparam[opt=1] int group its number
-- @return the group's own, else that of `config`, else the default
function Optimizer:option(name, group)
  local where = torch.typename(self) .. '.option'
  group = groupAt(self, where, group or 1)
  if self._rule.known[name] == nil then rules.checkOption(where, self._rule, name) end
  return rules.options(self._rule, group, self.config)[name]
end

--- Sets an option of a group, or of all.
-- @string name
-- @param value
-- @tparam[opt] int group its number; by default all groups
-- @raise if the option is unknown, or the value out of range
function Optimizer:setOption(name, value, group)
  local where = torch.typename(self) .. '.setOption'
  rules.checkOption(where, self._rule, name, value)
  for _, each in ipairs(group and { groupAt(self, where, group) } or self.groups) do holder(self, each, name)[name] = value end
end

return Optimizer
