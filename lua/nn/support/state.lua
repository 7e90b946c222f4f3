--- The modules, parameters and buffers of a network by PyTorch's names: positions of children counted from 0, or fields, joined by dots.
-- A class may define `_stateNames`, PyTorch's names of children by field, and, for its tensors: `_stateName(field)`, the name that PyTorch
-- uses; `_stateView(field, tensor)`, a view with PyTorch's sizes; `_bufferNames`, fields of buffers; `_unknownState`, a set of PyTorch's
-- names that it lacks.
-- @module nn.support.state
local torch, check, class = require 'torch', require 'torch.check', require 'torch.class'
local objects, nested, matching = require 'torch.file.python_tables', require 'nn.nested', require 'nn.support.matching'
local sizesOf = require('torch.check.message').sizes

local state = {}
local usual = { 'weight', 'bias' }

local function isModule(value) return class.isTypeOf(value, 'nn.Module') end

-- Returns the sorted names of the fields that `wanted` accepts. Names with an underscore in front are private.
local function fieldsOf(module, wanted)
  local names = {}
  for name, value in next, module do
    if type(name) == 'string' and name:sub(1, 1) ~= '_' and wanted(value) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- Whether a class returns its parameters by a method of its own.
local function hasOwnParameters(module)
  local own = module.parameters
  if module.__findsMembers then return false end
  return own ~= torch.getmetatable('nn.Module').parameters and own ~= torch.getmetatable('nn.Container').parameters
end

-- Calls `add(path, module)` for the modules in plain tables of a module's fields whose parameters its own method returns.
local function addListed(module, add)
  local returned = {}
  for _, parameter in ipairs(module:parameters() or {}) do returned[parameter] = true end
  local function isReturned(child)
    for _, parameter in ipairs(child:parameters() or {}) do
      if returned[parameter] then return true end
    end
  end
  local met = {}
  local function visit(path, t)
    if met[t] then return end
    met[t] = true
    for i, value in ipairs(t) do
      if isModule(value) then
        if isReturned(value) then add(path .. i - 1, value) end
      elseif nested.isPlain(value) then
        visit(path .. i - 1 .. '.', value)
      end
    end
    for _, name in ipairs(fieldsOf(t, function(value) return isModule(value) or nested.isPlain(value) end)) do
      if not isModule(t[name]) then visit(path .. name .. '.', t[name]) elseif isReturned(t[name]) then add(path .. name, t[name]) end
    end
  end
  for _, name in ipairs(fieldsOf(module, nested.isPlain)) do
    if name ~= 'modules' then visit(name .. '.', module[name]) end
  end
end

--- Returns the children: those found by assignment, in its order; else those of the list `modules`, modules in other fields, by name, and
-- those in tables of fields whose parameters the module's own method `parameters` returns.
-- @tparam nn.Module module
-- @treturn {{string,nn.Module},...} pairs of a name and a module
function state.children(module)
  local list, seen = {}, {}
  if module.__findsMembers then
    for _, name in ipairs(rawget(module, '_childNames') or {}) do
      local child = rawget(module, name)
      local theirs = module._stateNames and module._stateNames[name] or name
      if isModule(child) then list[#list + 1] = { type(name) == 'number' and tostring(name - 1) or theirs, child } end
    end
    return list
  end
  local function add(name, child)
    if seen[child] then return end
    seen[child] = true
    list[#list + 1] = { name, child }
  end
  local modules = type(module.modules) == 'table' and module.modules or {}
  for i, child in ipairs(modules) do
    if isModule(child) then
      seen[child] = true
      list[#list + 1] = { tostring(i - 1), child }
    end
  end
  for _, name in ipairs(fieldsOf(module, isModule)) do add(name, module[name]) end
  if hasOwnParameters(module) then addListed(module, add) end
  return list
end

-- Calls `visit(path, module)` for a module and its descendants, parents first; a module with several paths is visited by each. A module
-- inside itself is visited once.
local function visitAll(module, path, visit, around)
  if around[module] then return end
  around[module] = true
  visit(path, module)
  for _, pair in ipairs(state.children(module)) do visitAll(pair[2], path .. pair[1] .. '.', visit, around) end
  around[module] = nil
end

--- Returns the module and its descendants, parents first, each once, by its first path.
-- @tparam nn.Module module
-- @treturn {{string,nn.Module},...} pairs of a path, empty for the module, and a module
function state.modules(module)
  local list, seen = {}, {}
  visitAll(module, '', function(path, found)
    if not seen[found] then list[#list + 1] = { path:sub(1, -2), found } end
    seen[found] = true
  end, {})
  return list
end

-- Returns the fields of a module's parameters: the declared ones, and those of its own method `parameters`.
local function parameterFields(module)
  local names, listed = {}, {}
  local declared = module.__findsMembers and (rawget(module, 'parameterNames') or {}) or module.parameterNames or usual
  for _, name in ipairs(declared) do
    if torch.isTensor(module[name]) then
      names[#names + 1] = name
      listed[module[name]] = true
    end
  end
  if not hasOwnParameters(module) then return names end
  local returned = {}
  for _, parameter in ipairs(module:parameters() or {}) do returned[parameter] = true end
  for _, name in ipairs(fieldsOf(module, function(value) return returned[value] and not listed[value] end)) do names[#names + 1] = name end
  return names
end

local function add(list, path, module, field, isBuffer)
  local source = module[field]
  if not torch.isTensor(source) then return end
  local tensor = source:detach()
  local name = module._stateName and module:_stateName(field) or field
  if module._stateView then tensor = module:_stateView(field, tensor) end
  local isPassing = isBuffer and module._passingBuffers and module._passingBuffers[field]
  list[#list + 1] = {
    name = path .. name, tensor = tensor, isBuffer = isBuffer, isPassing = isPassing, source = source, module = module, field = field,
  }
end

--- Returns the parameters and buffers in PyTorch's order: a module's parameters, its buffers, then its children's.
-- @tparam nn.Module module
-- @treturn {table,...} entries with name, tensor (detached, a view), module, field, source (the field's tensor), isBuffer, and isPassing of
-- a buffer that is not part of states
-- @treturn {[string]=true} names that PyTorch's states have and this module lacks
function state.entries(module)
  local list, unknown = {}, {}
  visitAll(module, '', function(path, found)
    for _, field in ipairs(parameterFields(found)) do add(list, path, found, field, false) end
    for _, field in ipairs(found._bufferNames or {}) do add(list, path, found, field, true) end
    for name in pairs(found._unknownState or {}) do unknown[path .. name] = true end
  end, {})
  return list, unknown
end

--- Makes a tensor a buffer of a module.
-- @tparam nn.Module module
-- @string name of the field
-- @tparam torch.Tensor tensor
-- @tparam[opt] table options persistent (true)
function state.registerBuffer(module, name, tensor, options)
  local where = torch.type(module) .. ': registerBuffer'
  check.text(where, 'name', name)
  check.tensor(where, 'tensor', tensor)
  check.options(where, options, { 'persistent' })
  local names, known = {}, false
  for i, field in ipairs(module._bufferNames or {}) do
    names[i] = field
    known = known or field == name
  end
  if not name:find '^%a[%w_]*$' or not known and module[name] ~= nil then
    check.raise(('%s: name: %q, expected a letter, then letters, digits or _, and no other field or method'):format(where, name))
  end
  if not known then names[#names + 1] = name end
  local passing = {}
  for field in pairs(module._passingBuffers or {}) do passing[field] = true end
  passing[name] = options and options.persistent == false or nil
  module._bufferNames, module._passingBuffers = names, passing
  rawset(module, name, tensor)
end

--- Returns the tensors by name, in a table that stands for an OrderedDict.
-- @tparam nn.Module module
-- @treturn table
function state.dictionary(module)
  local result = objects.dictionary 'collections.OrderedDict'
  for _, entry in ipairs((state.entries(module))) do
    if not entry.isPassing then objects.set(result, entry.name, entry.tensor) end
  end
  return result
end

-- Checks all values before any is copied.
local function compare(where, module, values)
  local all, unknown = state.entries(module)
  local entries, known, missing, unexpected = {}, {}, {}, {}
  for _, entry in ipairs(all) do
    if not entry.isPassing then entries[#entries + 1] = entry end
  end
  for _, entry in ipairs(entries) do
    local value = values[entry.name]
    known[entry.name] = true
    if value == nil then
      missing[#missing + 1] = entry.name
    else
      check.tensor(where, entry.name, value)
      if not value:isSameSizeAs(entry.tensor) then
        check.raise(('%s: %s: a tensor of size %s, expected %s'):format(where, entry.name, sizesOf(value), sizesOf(entry.tensor)), 'shape')
      end
    end
  end
  for _, key in ipairs(objects.keys(values)) do
    if not known[key] and not unknown[key] then unexpected[#unexpected + 1] = tostring(key) end
  end
  return entries, missing, unexpected
end

-- Checks rules: a list of patterns and replacements.
local function checkRules(where, rules)
  for i, rule in ipairs(check.table(where, 'rules', rules)) do
    check.text(where, ('rules: %d: pattern'):format(i), check.table(where, 'rules: ' .. i, rule)[1])
    check.text(where, ('rules: %d: replacement'):format(i), rule[2])
  end
  return rules
end

-- Loads tensors whose names fit by rules.
local function loadMatching(where, module, values, options)
  local rules, ignores = checkRules(where, options.rules or {}), check.table(where, 'ignores', options.ignores or {})
  local report, fitting = matching.compare(where .. ': state', (state.entries(module)), values, rules,
    { 'num_batches_tracked$', unpack(ignores) })
  if options.dryRun then return report end
  matching.expect(where .. ': state', report, options.partial)
  state.load(module, fitting, { strict = false })
  return report
end

--- Copies values into the module's parameters and buffers, or raises an error before anything is changed.
-- @tparam nn.Module module
-- @tparam table values by name
-- @tparam[opt] table options strict (true), or rules, ignores, partial, dryRun
-- @treturn {string,...} names that `values` lacks; with rules, ignores, partial or dryRun a report, and nothing behind it
-- @treturn {string,...} names that the module lacks
function state.load(module, values, options)
  local where = torch.type(module) .. ': loadStateDict'
  check.table(where, 'state', values)
  check.options(where, options, { 'strict', 'rules', 'ignores', 'partial', 'dryRun' })
  if options and (options.rules or options.ignores or options.partial or options.dryRun) then
    return loadMatching(where, module, values, options)
  end
  local entries, missing, unexpected = compare(where, module, values)
  if not (options and options.strict == false) and #missing + #unexpected > 0 then
    check.raise(('%s: state: missing: %s; unexpected: %s, expected the names of stateDict()'):format(where,
      #missing > 0 and table.concat(missing, ', ') or 'none', #unexpected > 0 and table.concat(unexpected, ', ') or 'none'))
  end
  torch.noGrad(function()
    -- A value in the memory of the module, such as another parameter, may be overwritten before its turn.
    local own, sources = {}, {}
    for _, entry in ipairs(entries) do own[torch.pointer(entry.tensor:storage())] = true end
    for i, entry in ipairs(entries) do
      local value = values[entry.name]
      local isOwn = value ~= nil and own[torch.pointer(value:storage())] and not value:isSetTo(entry.tensor)
      sources[i] = isOwn and value:clone() or value
    end
    for i, entry in ipairs(entries) do
      if sources[i] ~= nil then entry.tensor:copy(sources[i]) end
    end
  end)
  return missing, unexpected
end

return state
