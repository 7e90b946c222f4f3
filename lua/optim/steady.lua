--- Lists for the steps of an optimiser that are the same in each step: of parameters, their gradients and their states.
-- The states of all parameters are views of one tensor for each field of the state, and the parameters are in a list that ops read without
-- looking at each value. So a step on thousands of small tensors takes little longer than one on a tensor of all their elements.
-- @module optim.steady
local torch, C, lists = require 'torch', require 'libmoontorch', require 'optim.lists'
local areEqual = require('torch.lists').areEqual

-- The largest mean number of elements of a tensor: for larger ones the arithmetic takes most of the time.
local small = 16384

local steady = {}

-- A function (list, states, offset, count) -> whether the states have the fields of the list, and `count` steps; and a function that sets
-- the steps and the numbers. The names of the fields are constants of the code: so loops over thousands of states take a few microseconds.
local function compile(rule, names)
  local test, write, arguments = {}, {}, {}
  for k, name in ipairs(names) do
    test[#test + 1] = (' or not rawequal(s.%s, v%d[i])'):format(name, k)
    arguments[#arguments + 1] = (', v%d'):format(k)
  end
  for name in pairs(rule.scalars or {}) do
    test[#test + 1] = (' or s.%s ~= first.%s'):format(name, name)
    write[#write + 1] = ('s.%s = first.%s\n'):format(name, name)
  end
  local text = ([[
    local rawequal = rawequal
    local function isCurrent(list, parameters, states, offset, first%s)
      local xs, own, count = list.xs, list.states, first.%s
      for i = 1, #xs do
        local s = own[i]
        if not rawequal(states[offset + i], s) or not rawequal(parameters[i], xs[i]) or s.%s ~= count%s then return false end
      end
      return true
    end
    local function advance(own, first)
      local count = first.%s + 1
      for i = 1, #own do
        local s = own[i]
        s.%s = count
        %s
      end
    end
    return isCurrent, advance]]):format(table.concat(arguments), rule.counter, rule.counter, table.concat(test), rule.counter, rule.counter,
    table.concat(write))
  return loadstring(text, '=optim.steady')()
end

local function copied(list)
  local copy = {}
  for i = 1, #list do copy[i] = list[i] end
  return copy
end

-- Whether the tensors have few elements each, and are of one type on one device.
local function areAlike(xs)
  local total, kind, device = 0, C.kindOf(xs[1]), xs[1]:device()
  for i = 1, #xs do
    if C.kindOf(xs[i]) ~= kind or xs[i]:device() ~= device then return false end
    total = total + xs[i]:nElement()
  end
  return total > 0 and total <= small * #xs
end

-- Gathers a field of the states in one tensor, of which they become views; returns it, and the views.
local function gather(name, xs, states)
  local total, at, views = 0, 1, {}
  for i = 1, #xs do total = total + xs[i]:nElement() end
  local whole = xs[1].new():resize(total)
  for i, x in ipairs(xs) do
    views[i] = lists.part(whole, at, x)
    views[i]:copy(states[i][name])
    states[i][name] = views[i]
    at = at + x:nElement()
  end
  return whole, views
end

-- Whether all states have the fields, as tensors of their parameters' sizes, and equal counts and numbers.
local function areGatherable(rule, names, xs, states)
  local first = states[1]
  for i, state in ipairs(states) do
    if state[rule.counter] ~= first[rule.counter] then return false end
    for name in pairs(rule.scalars or {}) do
      if state[name] ~= first[name] then return false end
    end
    for _, name in ipairs(names) do
      local tensor = state[name]
      if not torch.isTensor(tensor) or tensor:nElement() ~= xs[i]:nElement() or C.kindOf(tensor) ~= C.kindOf(xs[i]) then return false end
    end
  end
  return true
end

-- A group -> its lists; or a table whose field `refused` is the list of parameters for which there are none.
local known = setmetatable({}, { __mode = 'k' })

--- Makes the lists of a group for the steps that follow, if they will serve.
-- @tparam table rule with `fields` and `launch`
-- @tparam table group
-- @tparam {table,...} states of its parameters
-- @tparam table options
function steady.prepare(rule, group, states, options)
  local xs = group.parameters
  if known[group] and known[group].refused == xs then return end
  if #xs < 2 or not areAlike(xs) then
    known[group] = { refused = xs }
    return
  end
  local names = rule.fields(options)
  if not areGatherable(rule, names, xs, states) then return end
  local list = { xs = copied(xs), group = xs, states = copied(states), names = names, wholes = {}, views = {} }
  for k, name in ipairs(names) do
    local whole
    whole, list.views[k] = gather(name, xs, states)
    list.wholes[k] = { whole }
  end
  list.isCurrent, list.advance = compile(rule, names)
  list.parameters = C.tensorList(list.xs)
  list.gradients = C.gradientList(list.parameters)
  known[group] = list
end

--- Makes the step of a group if its lists still serve.
-- @tparam table rule
-- @tparam table group
-- @tparam {table,...} states of all parameters of the optimiser
-- @int offset number of those before the group's
-- @tparam table options
-- @treturn bool whether the step is made
function steady.step(rule, group, states, offset, options)
  local list = known[group]
  if not list or list.group ~= group.parameters then return false end
  local first, views = states[offset + 1], list.views
  if first ~= list.states[1] or not areEqual(rule.fields(options), list.names)
    or not list.isCurrent(list, group.parameters, states, offset, first, views[1], views[2], views[3])
    or not C.readGradients(list.gradients) then
    C.forgetGradients(list.gradients)
    known[group] = nil
    return false
  end
  rule.launch(list.parameters, list.gradients, list.wholes, options, first, false)
  list.advance(list.states, first)
  return true
end

--- Releases the gradients that the lists of a group keep.
-- @tparam table group
function steady.forget(group)
  local list = known[group]
  if list and list.gradients then C.forgetGradients(list.gradients) end
end

return steady
