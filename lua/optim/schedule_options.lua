--- Options of schedules: their kinds, ranges, defaults, and what PyTorch calls them.
-- @module optim.schedule_options
local check = require 'torch.check'

-- PyTorch's name -> ours.
local foreign = {
  step_size = 'stepSize', total_iters = 'totalSteps', total_steps = 'totalSteps', start_factor = 'startFactor', end_factor = 'endFactor',
  T_max = 'period', T_0 = 'period', T_mult = 'growth', eta_min = 'minimum', max_lr = 'maximum', base_lr = 'minimum', min_lr = 'minimum',
  pct_start = 'warmFraction', anneal_strategy = 'anneal', cycle_momentum = 'cycleMomentum', base_momentum = 'minMomentum',
  max_momentum = 'maxMomentum', div_factor = 'divFactor', final_div_factor = 'finalDivFactor', three_phase = 'threePhase',
  step_size_up = 'stepsUp', step_size_down = 'stepsDown', threshold_mode = 'thresholdMode', eps = 'epsilon', steps = 'totalSteps',
}

local function isCounts(value)
  if type(value) ~= 'table' then return false end
  local last = 0
  for _, each in ipairs(value) do
    if type(each) ~= 'number' or each % 1 ~= 0 or each < last then return false end
    last = each
  end
  return true
end

local function areRates(value)
  for _, each in ipairs(type(value) == 'table' and value or { value }) do
    if type(each) ~= 'number' or each < 0 or each ~= each then return false end
  end
  return type(value) == 'number' or type(value) == 'table' and #value > 0
end

local function names(choices)
  local list = {}
  for name in pairs(choices) do list[#list + 1] = ("'%s'"):format(name) end
  table.sort(list)
  return table.concat(list, ' or ')
end

local kinds = {
  int = function(where, name, value, rule) check.int(where, name, value, { min = rule.min }) end,
  number = function(where, name, value, rule) check.number(where, name, value, rule) end,
  flag = function(where, name, value) check.flag(where, name, value) end,
  list = function(where, name, value) check.table(where, name, value) end,
  counts = function(where, name, value)
    check.that(isCounts(value), ('%s: %s: expected a list of whole numbers, each as large as the last one or larger'):format(where, name))
  end,
  rates = function(where, name, value)
    check.that(areRates(value), ('%s: %s: expected a number, 0 or more, or a list of such numbers'):format(where, name))
  end,
  choice = function(where, name, value, rule)
    check.that(rule.choices[value], ('%s: %s: %s, expected %s'):format(where, name, tostring(value), names(rule.choices)))
  end,
}

local function copyOf(value)
  if type(value) ~= 'table' or getmetatable(value) then return value end
  local copy = {}
  for key, part in pairs(value) do copy[key] = part end
  return copy
end

local options = {}

--- Returns the options with defaults.
-- @string where
-- @tparam table rules name -> kind, default, range
-- @tparam ?table given
-- @treturn table a new one
-- @raise if a name is unknown, a value wrong, or one without a default is missing
function options.read(where, rules, given)
  given = check.table(where, 'options', given == nil and {} or given)
  local all, result = {}, {}
  for name in pairs(rules) do all[#all + 1] = name end
  table.sort(all)
  for name in pairs(given) do
    if not rules[name] then
      local hint = rules[foreign[name] or ''] and foreign[name]
      check.raise(('%s: options: %s, expected %s'):format(where, tostring(name), hint or 'one of ' .. table.concat(all, ', ')))
    end
  end
  for _, name in ipairs(all) do
    local rule, value = rules[name], given[name]
    if value == nil then value = rule.default end
    if value ~= false or rule.default ~= false or rule.kind == 'flag' then kinds[rule.kind](where, name, value, rule) end
    result[name] = copyOf(value)
  end
  return result
end

--- Makes an option with one number for all groups, or one for each, a list of the schedule.
-- @string where
-- @string name
-- @tparam optim.Schedule schedule
function options.perGroup(where, name, schedule)
  local value, groups = schedule.options[name], #schedule.base
  local list = type(value) == 'table' and value or { value }
  if #list ~= 1 and #list ~= groups then
    check.raise(('%s: %s: %d numbers, expected one, or %d as the groups'):format(where, name, #list, groups))
  end
  schedule[name] = list
end

return options
