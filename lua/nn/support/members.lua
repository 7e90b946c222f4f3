--- Parameters and children that a module found in the assignments to its fields, in the order of these: see nn.support.plain.
-- The field `_childNames` lists the names of children; its presence says that the module finds members so. A name stays where it is when
-- another module replaces its value, and doesn't count while the value is no module.
-- @module nn.support.members
local torch, C, check, class = require 'torch', require 'libmoontorch', require 'torch.check', require 'torch.class'
local gradientName = require 'nn.support.gradient_name'

local rawget, rawset, rawequal, type = rawget, rawset, rawequal, type
local isTensor = C.isTensor

local members = {}

-- Tensors that nn.Parameter and nn.Buffer created -> 'parameter' or 'buffer'.
local marks = setmetatable({}, { __mode = 'k' })

-- Gradient -> the parameter for which it was created, to notice that another one is in the field.
local created = setmetatable({}, { __mode = 'k' })

local function isModule(value) return type(value) == 'table' and class.isTypeOf(value, 'nn.Module') end

-- Returns a tensor in the memory of x that `assigned` will recognise.
local function marked(x, mark)
  local alias = C.detach(x)
  marks[alias] = mark
  return alias
end

--- Returns a tensor, in the memory of another one, that becomes a parameter of a module by assignment to a field. It is tracked.
-- @tparam torch.Tensor x
-- @tparam[opt=true] boolean requiresGrad whether the tape computes its gradient
-- @treturn torch.Tensor
-- @raise if `x` is not a tensor, or not of floats, which have no gradient
-- @usage self.scale = nn.Parameter(torch.ones(3))
function members.Parameter(x, requiresGrad)
  check.tensor('nn.Parameter', 'x', x)
  check.flag('nn.Parameter', 'requiresGrad', requiresGrad)
  if requiresGrad ~= false and not x:isFloatingPoint() then
    check.raise(('nn.Parameter: x: a %s, expected a tensor of floats, or requiresGrad = false'):format(x:type()))
  end
  local parameter = marked(x, 'parameter')
  if requiresGrad ~= false then parameter:requiresGrad() end
  return parameter
end

--- Returns a tensor, in the memory of another one, that becomes a buffer of a module by assignment to a field, as by `registerBuffer`.
-- @tparam torch.Tensor x
-- @tparam[opt] table options persistent (true): whether the buffer is in `stateDict`
-- @treturn torch.Tensor
-- @raise if `x` is not a tensor
-- @usage self.mean = nn.Buffer(torch.zeros(3))
function members.Buffer(x, options)
  check.tensor('nn.Buffer', 'x', x)
  check.options('nn.Buffer', options, { 'persistent' })
  return marked(x, options and options.persistent == false and 'passing buffer' or 'buffer')
end

--- Returns whether a tensor came from nn.Parameter.
function members.isParameter(x) return marks[x] == 'parameter' end

-- Returns a list with `name` at its end, and nowhere else.
local function atEnd(names, name)
  local list = {}
  for i = 1, names and #names or 0 do
    if names[i] ~= name then list[#list + 1] = names[i] end
  end
  list[#list + 1] = name
  return list
end

local function newGradient(parameter)
  local gradient = torch.zerosLike(C.detach(parameter))
  created[gradient] = parameter
  return gradient
end

--- Sets the fields that nn.Module's constructor sets, if a class's constructor has not called it.
-- @tparam nn.Module module
function members.initialise(module)
  if rawget(module, '_type') then return end
  rawset(module, 'gradInput', torch.Tensor())
  rawset(module, 'output', torch.Tensor())
  rawset(module, '_type', module.output:type())
end

-- Lets a module find its members by assignment.
local function begin(module)
  if not rawget(module, '_childNames') then rawset(module, '_childNames', {}) end
end

--- Makes a tensor the parameter `name` of a module, after all others, with a gradient of zeros.
-- @tparam nn.Module module
-- @param name of the field
-- @tparam torch.Tensor parameter
function members.setParameter(module, name, parameter)
  begin(module)
  rawset(module, name, parameter)
  rawset(module, gradientName[name], newGradient(parameter))
  rawset(module, 'parameterNames', atEnd(rawget(module, 'parameterNames'), name))
end

--- Makes a module the child `name` of another one, after all others.
-- @tparam nn.Module module
-- @param name of the field
-- @tparam nn.Module child
function members.setChild(module, name, child)
  rawset(module, '_childNames', atEnd(rawget(module, '_childNames'), name))
  rawset(module, name, child)
end

--- The hook `__newindex__` of classes whose modules find their members by assignment. It is called for fields that don't exist.
-- @tparam nn.Module module
-- @param name
-- @param value
-- @treturn boolean whether the assignment is done
function members.assigned(module, name, value)
  members.initialise(module)
  if type(value) == 'userdata' then
    local mark = marks[value]
    if mark == 'parameter' then
      members.setParameter(module, name, value)
    elseif mark then
      begin(module)
      require('nn.support.state').registerBuffer(module, name, value, { persistent = mark == 'buffer' })
    end
    return mark ~= nil
  end
  if not isModule(value) then return false end
  members.setChild(module, name, value)
  return true
end

--- Returns the children of a module in its list `modules`, or those found by assignment.
-- @tparam nn.Module module
-- @treturn {nn.Module,...}
function members.children(module)
  local names, list = rawget(module, '_childNames') or {}, {}
  if module.modules then return module.modules end
  for i = 1, #names do
    local child = rawget(module, names[i])
    if isModule(child) then list[#list + 1] = child end
  end
  return list
end

--- Replaces each child that was found by assignment by the result of `fn` for it.
-- @tparam nn.Module module
-- @tparam function fn
function members.replace(module, fn)
  for _, name in ipairs(rawget(module, '_childNames') or {}) do
    local child = rawget(module, name)
    if isModule(child) then rawset(module, name, child:replace(fn)) end
  end
end

-- Returns the gradient of a parameter; another one if the module's is that of a former parameter.
local function gradientOf(module, name, parameter)
  local field = gradientName[name]
  local gradient = module[field]
  if gradient == nil then return nil end
  local former = created[gradient]
  if former ~= nil and not rawequal(former, parameter) then
    gradient = newGradient(parameter)
    rawset(module, field, gradient)
  end
  return gradient
end

--- Returns the parameters of a module that finds its members by assignment and those of its children, each once, and their gradients.
-- @tparam nn.Module module
-- @treturn {torch.Tensor,...}
-- @treturn {torch.Tensor,...}
function members.parameters(module)
  local parameters, gradients, seen = {}, {}, {}
  local function add(parameter, gradient)
    if seen[parameter] then return end
    seen[parameter] = true
    parameters[#parameters + 1], gradients[#gradients + 1] = parameter, gradient
  end
  local names = rawget(module, 'parameterNames')
  for i = 1, names and #names or 0 do
    local parameter = module[names[i]]
    local gradient = isTensor(parameter) and gradientOf(module, names[i], parameter)
    if gradient then add(parameter, gradient) end
  end
  for _, child in ipairs(members.children(module)) do
    local below, theirs = child:parameters()
    for i = 1, below and #below or 0 do add(below[i], theirs[i]) end
  end
  return parameters, gradients
end

--- Registers a parameter by its name: the implementation of nn.Module.registerParameter.
-- @tparam nn.Module module
-- @string name
-- @tparam ?torch.Tensor parameter nil removes it
function members.register(module, name, parameter)
  local where = torch.type(module) .. ': registerParameter'
  check.text(where, 'name', name)
  local isKnown = false
  for _, known in ipairs(rawget(module, 'parameterNames') or {}) do isKnown = isKnown or known == name end
  if not name:find '^%a[%w_]*$' or not isKnown and module[name] ~= nil then
    check.raise(('%s: name: %q, expected a letter, then letters, digits or _, and no other field or method'):format(where, name))
  end
  if parameter == nil then
    module[name], module[gradientName[name]] = nil, nil
    return
  end
  check.tensor(where, 'parameter', parameter)
  if module.__findsMembers then return members.setParameter(module, name, parameter) end
  module:declare(name, parameter)
end

return members
