--- Steps of elementwise rules on many small tensors: a vector of all their elements makes the step, with the ops of one tensor.
-- The states of the tensors are views of the vector's state.
-- @module optim.gathered
local C = require 'libmoontorch'
local torch = require 'torch'

local small, few = 1024, 2      -- most elements of a tensor, least number of tensors

-- Returns views of consecutive ranges of a vector, as many elements each as the tensors have; with `shaped`, in their shapes.
local function parts(vector, xs, shaped)
  local views, at = {}, 1
  for i, x in ipairs(xs) do
    local view = vector:narrow(1, at, x:nElement())
    views[i] = shaped and view:viewAs(x:detach()) or view
    at = at + x:nElement()
  end
  return views
end

-- Stores where the tensors are in memory; returns whether no two share memory: then a step of one would be lost.
local function locate(chosen)
  local ranges = {}
  chosen.storages, chosen.offsets = {}, {}
  for k, x in ipairs(chosen.xs) do
    local storage, offset = C.storageAddress(x), x:storageOffset()
    chosen.storages[k], chosen.offsets[k] = storage, offset
    ranges[k] = { storage, offset, offset + x:nElement() }
  end
  table.sort(ranges, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
  for k = 2, #ranges do
    if ranges[k][1] == ranges[k - 1][1] and ranges[k][2] < ranges[k - 1][3] then return false end
  end
  return true
end

-- Returns the small tensors with their states, if they have one type, device and number of steps; nil otherwise.
local function select(rule, xs, gradients, states)
  local chosen, count = { at = {}, xs = {}, states = {} }, 0
  local first
  for i, x in ipairs(xs) do
    local n, state = x:nElement(), states[i]
    if n > 0 and n <= small and x:isContiguous() then
      first = first or i
      local isLike = x:type() == xs[first]:type() and x:device() == xs[first]:device() and gradients[i]:type() == x:type()
      if not isLike or state[rule.counter] ~= states[first][rule.counter] then return nil end
      for name in pairs(rule.scalars) do
        if state[name] ~= states[first][name] then return nil end
      end
      local k = #chosen.at + 1
      chosen.at[k], chosen.xs[k], chosen.states[k] = i, x, state
      count = count + n
    end
  end
  chosen.count = count
  return #chosen.at >= few and locate(chosen) and chosen or nil
end

-- Gathers a field of the states in one vector, of which they become views; returns whether it could.
local function gatherField(rule, name, chosen, options)
  local states, there = chosen.states, 0
  for _, state in ipairs(states) do
    if state[name] ~= nil then there = there + 1 end
  end
  if there > 0 and there < #states then return false end
  local vector
  if there == 0 then
    vector = rule.initial(name, chosen.x, options)
  elseif states[1][name] then
    vector = chosen.x.new():resize(chosen.count)
    for i, part in ipairs(parts(vector, chosen.xs)) do part:copy(states[i][name]) end
  else
    vector = false
  end
  local views = vector and parts(vector, chosen.xs, true)
  for i, state in ipairs(states) do state[name] = views and views[i] end
  chosen.state[name], chosen.views[name] = vector, views
  return true
end

local function build(rule, xs, gradients, states, options)
  local chosen = select(rule, xs, gradients, states)
  if not chosen then return nil end
  local like = chosen.xs[1]
  chosen.x, chosen.gradient = like.new():resize(chosen.count), like.new():resize(chosen.count)
  chosen.xParts, chosen.gradientParts = parts(chosen.x, chosen.xs), parts(chosen.gradient, chosen.xs)
  chosen.state, chosen.views, chosen.total = {}, {}, #xs
  for _, name in ipairs(rule.fields) do
    if not gatherField(rule, name, chosen, options) then return nil end
  end
  return chosen
end

-- Whether the tensors, their memory and states are those that were gathered, and have equal numbers of steps.
local function isCurrent(rule, chosen, xs, states)
  if chosen.total ~= #xs then return false end
  local count = chosen.states[1][rule.counter]
  for k = 1, #chosen.at do
    local i, state = chosen.at[k], chosen.states[k]
    local x = chosen.xs[k]
    if states[i] ~= state or not rawequal(xs[i], x) or state[rule.counter] ~= count then return false end
    if C.storageAddress(x) ~= chosen.storages[k] or x:storageOffset() ~= chosen.offsets[k] then return false end
    for name, views in pairs(chosen.views) do
      if views and not rawequal(state[name], views[k]) then return false end
    end
  end
  return true
end

-- vector = tensors, in one pass.
local function gather(vector, views, tensors)
  vector:zero()
  torch.sgd_step(views, tensors, {}, -1)
end

--- Makes the steps of small tensors.
-- @tparam table rule with `fields`, names of the state's tensors; `scalars`, of its numbers; `initial(name, x, options)`
-- @tparam {torch.Tensor,...} xs
-- @tparam {torch.Tensor,...} gradients
-- @tparam {table,...} states
-- @tparam table options
-- @tparam ?table cached what the last step returned
-- @treturn ?table what the next step needs; its field `at` has the positions of the tensors whose steps are made; nil for none
return function(rule, xs, gradients, states, options, cached)
  local chosen = cached and isCurrent(rule, cached, xs, states) and cached or build(rule, xs, gradients, states, options)
  if not chosen then return nil end
  local own, state = {}, chosen.state
  for k, i in ipairs(chosen.at) do own[k] = gradients[i] end
  gather(chosen.x, chosen.xParts, chosen.xs)
  gather(chosen.gradient, chosen.gradientParts, own)
  state[rule.counter] = chosen.states[1][rule.counter]
  for name in pairs(rule.scalars) do state[name] = chosen.states[1][name] end
  rule.each(chosen.x, chosen.gradient, options, state)
  for k, x in ipairs(chosen.xs) do
    x:copy(chosen.xParts[k])
    for name in pairs(rule.scalars) do chosen.states[k][name] = state[name] end
  end
  return chosen
end
