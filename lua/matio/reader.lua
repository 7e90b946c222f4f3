--- Reads files of all versions.
-- @module matio.reader
local refuse = require('torch.check').raise
local damage = require 'torch.file.damage'
local outside = require 'torch.file.outside'
local version4, version5 = require 'matio.version4', require 'matio.version5'

local reader = {}

local hdf5Magic, userBlock = '\137HDF\r\n\26\n', 512

local function isHdf5(head)
  return head:sub(1, 8) == hdf5Magic or head:sub(userBlock + 1, userBlock + 8) == hdf5Magic
end

-- Calls `each(options, visit)` of the file's version.
local function withFile(where, name, options, visit)
  return outside.map(where, name, function(channel, mapped)
    local p, n = channel:peek()
    local head = require('ffi').string(p, math.min(n, userBlock + 8))
    if isHdf5(head) then return require('matio.read73').each(name, options, visit) end
    if version5.isNext(head) then return version5.each(mapped, options, visit) end
    if version4.isNext(mapped) then return version4.each(mapped, options, visit) end
    damage.raise(1, "the start of a MAT-file of version 4, 5 or 7.3", ('%q'):format(head:sub(1, 16)))
  end)
end

-- Returns the wanted names as a set, and as a list; nil for all.
local function wantedOf(variables)
  if variables == nil then return nil, nil end
  local list, set = type(variables) == 'string' and { variables } or variables, {}
  for _, variable in ipairs(list) do set[variable] = true end
  return set, list
end

-- Returns a variable's value; nil and the reason if the file is intact but the value can't be represented.
local function tried(name, value)
  local good, result = pcall(value)
  if good then return result end
  if not damage.is(result) then error(('variable %s: %s'):format(name, tostring(result)), 0) end
  if not result.isOther then error(result, 0) end
  return nil, ('expected %s, read %s'):format(result.expected, result.read)
end

--- Reads variables; see `matio.load`.
function reader.load(where, name, variables, options)
  local wanted, list = wantedOf(variables)
  local values, others, known = {}, {}, {}
  withFile(where, name, options, function(variable, value)
    if #known < 20 then known[#known + 1] = variable end
    if wanted and not wanted[variable] then return end
    values[variable], others[variable] = tried(variable, value)
  end)
  for _, variable in ipairs(list or {}) do
    if values[variable] == nil then
      local there = #known > 0 and table.concat(known, ', ') or 'none'
      local reason = others[variable] or ('the file has no such variable, but %s'):format(there)
      refuse(('%s: %s: variable %s: %s'):format(where, name, variable, reason))
    end
  end
  if type(variables) == 'string' then values = values[variables] end
  return values, next(others) and others or nil
end

--- Returns the names of variables; see `matio.names`.
function reader.names(where, name)
  local names = {}
  withFile(where, name, {}, function(variable) names[#names + 1] = variable end)
  return names
end

return reader
