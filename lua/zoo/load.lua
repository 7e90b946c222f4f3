--- Networks with the parameters of a file.
-- Names of a file are compared with those of the network's `stateDict`. A name that the network lacks goes through rules, patterns and
-- their replacements, until the network has it. Values that are not tensors are skipped, so files may hold more than the parameters.
-- @module zoo.load
local torch, check = require 'torch', require 'torch.check'
local catalogue, state = require 'zoo.catalogue', require 'nn.support.state'

local deepest, longestList = 100, 20

-- Where programs keep states in files, and what wrappers of modules put in front of names.
local rules = {
  { '_modules%.', '' }, { '_parameters%.', '' }, { '_buffers%.', '' }, { '^state_dict%.', '' }, { '^model_state_dict%.', '' },
  { '^state%.', '' }, { '^net%.', '' }, { '^model%.', '' }, { '^module%.', '' }, { '_orig_mod%.', '' }, { '^_model%.', '' },
}
local ignores = { 'num_batches_tracked$', '^optimizer' }

-- Adds the tensors of nested tables to a list of {name, tensor}, by paths.
local function flatten(list, path, value, depth, around)
  if torch.isTensor(value) then
    list[#list + 1] = { path, value }
  elseif type(value) == 'table' and depth < deepest and not around[value] then
    around[value] = true
    for key, each in next, value do
      if type(key) == 'string' or type(key) == 'number' then
        flatten(list, (path == '' and '' or path .. '.') .. tostring(key), each, depth + 1, around)
      end
    end
    around[value] = nil
  end
  return list
end

local function read(where, source)
  if type(source) == 'table' then return source end
  if type(source) ~= 'string' then check.raise(('%s: source: a %s, expected a file or a table'):format(where, torch.type(source))) end
  local reader = (source:find '%.safetensors$' or source:find '%.safetensors%.index%.json$') and torch.safetensors or torch.pt
  return (check.call(reader.load, source))
end

local function matches(patterns, name)
  for _, pattern in ipairs(patterns or {}) do
    if name:find(pattern) then return true end
  end
  return false
end

-- Returns the network's name for a name of a file.
local function renamed(name, wanted, lists)
  for _, list in ipairs(lists) do
    for _, rule in ipairs(list) do
      if wanted[name] then return name end
      name = name:gsub(rule[1], rule[2])
    end
  end
  return name
end

local function sizesOf(tensor) return tensor:size():totable() end

local function sizesText(sizes) return '[' .. table.concat(sizes, ', ') .. ']' end

local Report = {}

local function listed(lines, title, entries, limit)
  if #entries == 0 then return end
  lines[#lines + 1] = title
  for i = 1, math.min(#entries, limit) do
    local entry = entries[i]
    local expected = entry.expected and ', expected ' .. sizesText(entry.expected) or ''
    lines[#lines + 1] = ('  %s %s%s'):format(entry.name, sizesText(entry.sizes), expected)
  end
  if #entries > limit then lines[#lines + 1] = ('  and %d more'):format(#entries - limit) end
end

-- Returns what doesn't fit, by name and sizes: at most `limit` of each kind.
local function textOf(report, limit)
  local lines = { ('%d of %d tensors fit'):format(report.fitting, report.count) }
  listed(lines, 'the file lacks', report.missing, limit)
  listed(lines, 'the network lacks', report.unexpected, limit)
  listed(lines, 'other sizes', report.different, limit)
  return table.concat(lines, '\n')
end

function Report:__tostring() return textOf(self, math.huge) end

local function byName(a, b) return a.name < b.name end

-- Returns a report, and the tensors that fit, by the network's names.
local function compare(where, family, entries, source)
  local wanted, found, fitting = {}, {}, {}
  local report = setmetatable({ fitting = 0, count = 0, missing = {}, unexpected = {}, different = {} }, Report)
  for _, entry in ipairs(entries) do
    if not entry.isPassing then
      wanted[entry.name] = entry.tensor
      report.count = report.count + 1
    end
  end
  for _, pair in ipairs(flatten({}, '', source, 0, {})) do
    local name = renamed(pair[1], wanted, { family.rules or {}, rules, family.rules or {} })
    local tensor, value = wanted[name], pair[2]
    if not tensor then
      if not matches(ignores, name) and not matches(family.ignores, name) then
        table.insert(report.unexpected, { name = pair[1], sizes = sizesOf(value) })
      end
    elseif found[name] then
      check.raise(('%s: source: both %s and %s, expected one of them'):format(where, found[name], pair[1]))
    else
      found[name] = pair[1]
      if value:isSameSizeAs(tensor) then
        fitting[name], report.fitting = value, report.fitting + 1
      else
        table.insert(report.different, { name = pair[1], sizes = sizesOf(value), expected = sizesOf(tensor) })
      end
    end
  end
  for name, tensor in pairs(wanted) do
    if not found[name] and matches(ignores, name) then
      report.count = report.count - 1
    elseif not found[name] then
      table.insert(report.missing, { name = name, sizes = sizesOf(tensor) })
    end
  end
  for _, list in ipairs { report.missing, report.unexpected, report.different } do table.sort(list, byName) end
  return report, fitting
end

local function split(options)
  local own, given = {}, {}
  for key, value in pairs(options or {}) do
    if key == 'dryRun' or key == 'partial' then own[key] = value else given[key] = value end
  end
  return own, given
end

--- Makes a network, in the default type and in evaluation mode, and copies the parameters of a file into it.
-- @string name of `zoo.list`
-- @tparam string|table source a file of PyTorch's (.pt, .pth, .bin, TorchScript) or of safetensors (.safetensors,
-- .safetensors.index.json), or the table that its reader returned
-- @tparam[opt] table options those of `zoo.make`, and `partial`: parameters that the file lacks, or has in other sizes, stay as they were
-- drawn; `dryRun`: only the report is returned, and nothing is allocated
-- @treturn nn.Module the network; with `dryRun`, nothing comes before the report
-- @treturn table report: `fitting` and `count`, numbers of tensors; `missing`, `unexpected` and `different`, lists of {name =, sizes =,
-- expected =}; `tostring` shows them
-- @raise if the file is damaged, or its tensors don't fit: then the error lists names and sizes
-- @usage local net = zoo.load('resnet18', 'resnet18.pth')
-- print(zoo.load('resnet18', 'resnet18.pth', { numClasses = 10, dryRun = true }))
return {
  load = function(name, source, options)
    local where = 'zoo.load: ' .. tostring(name)
    if options ~= nil then check.table(where, 'options', options) end
    local own, given = split(options)
    local family = catalogue.family('zoo.load', name)
    local complete = family:optionsOf(where, name, given)
    local values = read(where, source)
    local plan = torch.withDevice('meta', function() return family.make(complete) end)
    local report, fitting = compare(where, family, (state.entries(plan)), values)
    if own.dryRun then return report end
    local isComplete = #report.missing + #report.unexpected + #report.different == 0
    if not own.partial and not isComplete or report.fitting == 0 then
      check.raise(('%s: source: expected the tensors of the network (partial = true loads those that fit), %s'):format(where,
        textOf(report, longestList)))
    end
    local net = family.make(complete)
    net:loadStateDict(fitting, { strict = false })
    net:evaluate()
    return net, report
  end,
}
