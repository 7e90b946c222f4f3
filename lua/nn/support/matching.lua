--- Compares the tensors of a file with those of a module, whose names may differ by rules: patterns and their replacements.
-- @module nn.support.matching
local torch, check = require 'torch', require 'torch.check'
local objects = require 'torch.file.python_tables'

local deepest, longestList = 100, 20

local matching = {}

-- Adds the tensors of nested tables to a list of {name, tensor}, by paths.
local function flatten(list, path, value, depth, around)
  if torch.isTensor(value) then
    list[#list + 1] = { path, value }
  elseif type(value) == 'table' and depth < deepest and not around[value] then
    around[value] = true
    for _, key in ipairs(objects.keys(value)) do
      if type(key) == 'string' or type(key) == 'number' then
        flatten(list, (path == '' and '' or path .. '.') .. tostring(key), value[key], depth + 1, around)
      end
    end
    around[value] = nil
  end
  return list
end

-- Calls a function of patterns, which may be malformed.
local function call(f, name, pattern, ...)
  local good, result = pcall(f, name, pattern, ...)
  if not good then error(('pattern %q: %s'):format(pattern, result), 0) end
  return result
end

local function matches(patterns, name)
  for _, pattern in ipairs(patterns) do
    if call(string.find, name, pattern) then return true end
  end
  return false
end

-- Returns the module's name for a name of a file.
local function renamed(name, wanted, rules)
  for _, rule in ipairs(rules) do
    if wanted[name] then return name end
    name = call(string.gsub, name, rule[1], rule[2])
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

local function compare(entries, source, rules, ignores)
  local wanted, found, fitting = {}, {}, {}
  local report = setmetatable({ fitting = 0, count = 0, missing = {}, unexpected = {}, different = {} }, Report)
  for _, entry in ipairs(entries) do
    if not entry.isPassing then
      wanted[entry.name] = entry.tensor
      report.count = report.count + 1
    end
  end
  for _, pair in ipairs(flatten({}, '', source, 0, {})) do
    local name = renamed(pair[1], wanted, rules)
    local tensor, value = wanted[name], pair[2]
    if not tensor then
      if not matches(ignores, name) then table.insert(report.unexpected, { name = pair[1], sizes = sizesOf(value) }) end
    elseif found[name] then
      error(('both %s and %s, expected one of them'):format(found[name], pair[1]), 0)
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

--- Compares tensors with the entries of a module.
-- @string where start of messages
-- @tparam {table,...} entries of `nn.support.state`
-- @tparam table source tensors by name, also in nested tables; other values are skipped
-- @tparam {{string,string},...} rules patterns and replacements, which a name goes through until the module has it
-- @tparam {string,...} ignores patterns of names that the file may have, or lack, without a counterpart
-- @treturn table report: `fitting` and `count`, numbers of tensors; `missing`, `unexpected` and `different`, lists of {name =, sizes =,
-- expected =}; `tostring` shows them
-- @treturn table the tensors that fit, by the module's names
-- @raise if two tensors have one name, or a pattern is malformed
function matching.compare(where, entries, source, rules, ignores)
  local good, report, fitting = pcall(compare, entries, source, rules, ignores)
  if not good then check.raise(('%s: %s'):format(where, report)) end
  return report, fitting
end

--- Raises an error if tensors don't fit, or, with `isPartial`, if none does.
-- @string where start of the message
-- @tparam table report
-- @bool isPartial
function matching.expect(where, report, isPartial)
  local isComplete = #report.missing + #report.unexpected + #report.different == 0
  if not isPartial and not isComplete or report.fitting == 0 then
    check.raise(('%s: expected the tensors of the network (partial = true loads those that fit), %s'):format(where,
      textOf(report, longestList)))
  end
end

return matching
