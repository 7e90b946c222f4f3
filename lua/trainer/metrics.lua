--- The measures of an epoch: the mean loss, and meters of the package torchnet or functions of outputs and targets.
-- @module trainer.metrics
local torch, check = require 'torch', require 'torch.check'

local Metrics = {}
Metrics.__index = Metrics

local function isMeter(value)
  return type(value) == 'table' and type(value.add) == 'function' and type(value.value) == 'function' and type(value.reset) == 'function'
end

local function averageMeter() return require('torchnet').AverageValueMeter() end

--- @string where the start of messages
-- @tparam ?table given a meter or a function by name
-- @treturn table
function Metrics.new(where, given)
  local self = setmetatable({ loss = averageMeter(), names = {}, meters = {}, functions = {} }, Metrics)
  for name, value in pairs(given == nil and {} or check.table(where, 'meters', given)) do
    check.that(type(name) == 'string' and name ~= 'loss', where .. ': meters: expected meters by names other than loss')
    if not isMeter(value) then
      self.functions[name] = check.callable(where, 'meters: ' .. name, value)
      value = averageMeter()
    end
    self.names[#self.names + 1], self.meters[name] = name, value
  end
  table.sort(self.names)
  return self
end

local function copied(meter) return torch.deserialize(torch.serialize(meter)) end

--- Returns measures of the same kinds, without measurements.
function Metrics:clone()
  local clone = setmetatable({ loss = averageMeter(), names = self.names, meters = {}, functions = self.functions }, Metrics)
  for name, meter in pairs(self.meters) do
    clone.meters[name] = copied(meter)
    clone.meters[name]:reset()
  end
  return clone
end

--- Removes all measurements.
function Metrics:reset()
  self.loss:reset()
  self.earlier = nil
  for _, meter in pairs(self.meters) do meter:reset() end
end

--- Adds a batch.
-- @number loss its mean
-- @int count its number of samples, the weight of the means
-- @param output
-- @param target
function Metrics:add(loss, count, output, target)
  self.loss:add(loss, count)
  for _, name in ipairs(self.names) do
    local f = self.functions[name]
    if f then
      self.meters[name]:add(check.number('Trainer', ('meters: %s: the result'):format(name), f(output, target)), count)
    else
      self.meters[name]:add(output, target)
    end
  end
end

-- Adds what a meter says: a number, or several by keys.
local function put(values, name, value)
  if torch.isTensor(value) and value:nElement() == 1 then value = value:view(-1)[1] end
  if type(value) ~= 'table' then
    values[name] = value
    return
  end
  local first = next(value)
  local isSingle = first ~= nil and next(value, first) == nil
  for key, part in pairs(value) do values[isSingle and name or ('%s@%s'):format(name, tostring(key))] = part end
end

--- Returns the measures.
-- @string prefix of the names
-- @tparam table values gets them: numbers; also tensors of meters whose values are tensors
function Metrics:values(prefix, values)
  values[prefix .. 'loss'] = (self.loss:value())
  for _, name in ipairs(self.names) do put(values, prefix .. name, (self.meters[name]:value())) end
end

-- Returns the averages of measures of the same names, weighed by their counts.
local function averaged(parts)
  local total, sums = 0, {}
  for _, part in ipairs(parts) do
    total = total + part.count
    for name, value in pairs(part.values) do
      if torch.isTensor(value) then value = value:double() end
      sums[name] = sums[name] and sums[name] + value * part.count or value * part.count
    end
  end
  for name, sum in pairs(sums) do sums[name] = sum / total end
  return sums, total
end

--- Returns the measures of all ranks: averages, weighed by the numbers of samples.
-- @tparam table ranks of trainer.ranks
-- @string prefix of the names
-- @tparam table values gets them
-- @treturn int number of samples
function Metrics:joint(ranks, prefix, values)
  local own, parts = { count = self.loss.n, values = {} }, {}
  if own.count > 0 or ranks.size == 1 and not self.earlier then self:values('', own.values) end
  for _, each in ipairs(ranks:parted { own, self.earlier }) do
    for _, part in ipairs(each) do
      if part.count > 0 then parts[#parts + 1] = part end
    end
  end
  local measures, total = own.values, own.count
  if #parts > 1 then measures, total = averaged(parts) elseif parts[1] then measures, total = parts[1].values, parts[1].count end
  for name, value in pairs(measures) do values[prefix .. name] = value end
  return total
end

-- Returns a meter's measurements: its fields.
local function fieldsOf(meter)
  local fields = {}
  for key, value in next, meter do
    if type(value) ~= 'function' then fields[key] = value end
  end
  return fields
end

--- Returns the measurements so far, for a checkpoint.
function Metrics:state()
  local state = { loss = fieldsOf(self.loss), meters = {}, earlier = self.earlier }
  for name, meter in pairs(self.meters) do state.meters[name] = fieldsOf(meter) end
  return state
end

local function setFields(meter, fields)
  for key, value in next, meter do
    if type(value) ~= 'function' then meter[key] = nil end
  end
  for key, value in next, copied(fields) do meter[key] = value end
end

--- Continues from a state.
-- @tparam table state
-- @raise if it has other meters
function Metrics:setState(state)
  for name in pairs(state.meters) do
    check.that(self.meters[name], ('meters: none is %s, expected that of the checkpoint'):format(tostring(name)))
  end
  for name in pairs(self.meters) do
    check.that(state.meters[name], ('meters: %s, expected one of the checkpoint'):format(name))
  end
  self.earlier = state.earlier
  setFields(self.loss, state.loss)
  for name, fields in pairs(state.meters) do setFields(self.meters[name], fields) end
end

return Metrics
