--- Which module runs, for profiles and the search for NaNs: functions around the methods of modules and criteria.
-- A module that is observed has methods of its own in its fields. A call of one of them first restores the fields, so that the module runs
-- as it does without. Other modules pay nothing.
-- @module nn.support.observe
local torch, check = require 'torch', require 'torch.check'
local extensions = require 'torch.extensions'
local state = require 'nn.support.state'

local pcall, rawget, rawset, select, unpack = pcall, rawget, rawset, select, unpack

local observe = {}

-- Method -> whether it belongs to the backward pass. `clone` copies the fields, which then must be those of the module.
local methods = {
  updateOutput = false, onTape = false, _called = false, clone = false, backward = true, updateGradInput = true, accGradParameters = true,
}

local function put(module, fields)
  for name, value in pairs(fields) do rawset(module, name, value or nil) end
end

local function pack(...) return { n = select('#', ...), ... } end

-- Returns the fields for a module: methods that call `enter(number, backward)`, the module's own method, and `leave(result of enter)`.
local function fieldsFor(module, number, enter, leave, record)
  local fields = {}
  for name, backward in pairs(methods) do
    local method = module[name]
    if method then
      fields[name] = function(self, ...)
        if not rawequal(self, module) or not record.isOn then return method(self, ...) end
        put(module, record.own)
        record.isOn = false
        local depth = enter(number, backward)
        local results = pack(pcall(method, self, ...))
        leave(depth)
        if record.isObserved then
          put(module, record.fields)
          record.isOn = true
        end
        if not results[1] then error(results[2], 0) end
        return unpack(results, 2, results.n)
      end
    end
  end
  local derived = module.derived
  if derived then
    fields.derived = {}
    for name, method in pairs(derived) do fields.derived[name] = method == module[name] and fields[name] or method end
  end
  return fields
end

-- The path of a module below `name`, with numbers from 1, as in net:get(3).
local function pathFrom(name, path)
  for part in path:gmatch '[^.]+' do name = name .. '.' .. (tonumber(part) and tonumber(part) + 1 or part) end
  return name
end

local function isNetwork(value) return torch.isTypeOf(value, 'nn.Module') or torch.isTypeOf(value, 'nn.Criterion') end

--- Returns the modules and criteria of an option: a module, a criterion, or a table of them by name.
-- @string where the start of messages
-- @param models nil: none
-- @string[opt='model'] argument its name, for messages
-- @treturn {table,...} entries with path, as `model.3`, module, and label, as `model.3 (nn.Linear)`
-- @raise for other values
function observe.list(where, models, argument)
  argument = argument or 'model'
  local list, met = {}, {}
  local function add(name, model)
    local modules = torch.isTypeOf(model, 'nn.Module') and state.modules(model) or { { '', model } }
    for _, pair in ipairs(modules) do
      if not met[pair[2]] then
        met[pair[2]] = true
        local path = pathFrom(name, pair[1])
        list[#list + 1] = { path = path, module = pair[2], label = ('%s (%s)'):format(path, torch.type(pair[2])) }
      end
    end
  end
  if models == nil then return list end
  if isNetwork(models) then
    add('model', models)
    return list
  end
  local names = {}
  for name, model in pairs(check.table(where, argument, models)) do
    if not isNetwork(model) then
      check.raise(('%s: %s: %s in the field %s, expected modules and criteria'):format(where, argument, torch.type(model), tostring(name)))
    end
    names[#names + 1] = name
  end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  for _, name in ipairs(names) do add(tostring(name), models[name]) end
  return list
end

local DEPTH = 3      -- of functions that are local variables of functions

--- Returns the modules and criteria in local variables of a function, of functions among these, and in global variables.
-- @tparam[opt] function f
-- @treturn {[string]=nn.Module} by the names of the variables
function observe.found(f)
  local models, met = {}, {}
  local function visit(fn, depth)
    if met[fn] or depth > DEPTH then return end
    met[fn] = true
    for i = 1, debug.getinfo(fn, 'u').nups do
      local name, value = debug.getupvalue(fn, i)
      if isNetwork(value) then models[name] = value elseif type(value) == 'function' then visit(value, depth + 1) end
    end
  end
  if type(f) == 'function' then visit(f, 1) end
  for name, value in next, _G do
    if type(name) == 'string' and models[name] == nil and isNetwork(value) then models[name] = value end
  end
  return models
end

--- Returns the parameters and buffers of modules.
-- @tparam {table,...} list of observe.list
-- @treturn {table,...} pairs of a path, as `model.3.weight`, and a tensor
function observe.tensors(list)
  local tensors = {}
  for _, entry in ipairs(list) do
    if torch.isTypeOf(entry.module, 'nn.Module') then
      for _, found in ipairs((state.entries(entry.module))) do
        if rawequal(found.module, entry.module) then tensors[#tensors + 1] = { entry.path .. '.' .. found.field, found.source } end
      end
    end
  end
  return tensors
end

--- Calls `enter(number in the list, whether in backward)` before each method of the modules that computes, and `leave(its result)` after.
-- @tparam {table,...} list of observe.list
-- @tparam function enter
-- @tparam function leave
-- @treturn function stops it
function observe.start(list, enter, leave)
  local records = {}
  for number, entry in ipairs(list) do
    local module, record = entry.module, { isObserved = true, isOn = true, own = {} }
    record.fields = fieldsFor(module, number, enter, leave, record)
    for name in pairs(record.fields) do record.own[name] = rawget(module, name) or false end
    record.fields._observed, record.own._observed = record, false
    records[number] = record
    put(module, record.fields)
  end
  return function()
    for number, entry in ipairs(list) do
      local record = records[number]
      record.isObserved, record.isOn = false, false
      for name, value in pairs(record.own) do
        if rawequal(rawget(entry.module, name), record.fields[name]) then rawset(entry.module, name, value or nil) end
      end
    end
  end
end

--- Restores, in the fields for a file, those of a module that is not observed.
-- @tparam table fields
function observe.hide(fields)
  local record = fields._observed
  for name, value in pairs(record.own) do
    if rawequal(fields[name], record.fields[name]) then fields[name] = value or nil end
  end
  fields._observed = nil
end

extensions.register('modules', observe)

return observe
