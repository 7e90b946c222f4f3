--- Reads FITS files.
-- @module fits.reader
local ffi = require 'ffi'
local check = require 'torch.check'
local damage = require 'torch.file.damage'
local Block = require 'torch.file.block'
local outside = require 'torch.file.outside'
local columns, image, parts = require 'fits.columns', require 'fits.image', require 'fits.parts'

local reader = {}

local function valueOf(block, part, options)
  if part.kind == 'image' then return image.read(block, part, options) end
  local values, names
  if part.kind == 'table' then
    values, names = columns.binary(block, part)
  elseif part.kind == 'text table' then
    values, names = columns.text(block, part)
  else
    damage.raise(part.at + 1, 'an image or a table', part.kind, true)
  end
  if not options.frame then return values end
  return require('data').Frame(values, names)
end

local function optionsOf(where, options)
  options = check.options(where, options, { 'scale', 'frame' })
  check.flag(where, 'scale', options.scale)
  check.flag(where, 'frame', options.frame)
  return options
end

-- Maps a file and passes a block and its parts to f.
local function withParts(where, name, f)
  return outside.map(where, name, function(_, mapped)
    local block = Block.over(mapped, mapped:size(), ffi.abi 'le')
    return f(block, parts.find(block))
  end)
end

-- Returns a part as programs see it.
local function public(where, name, block, part)
  local sizes = part.kind == 'image' and {} or { part.sizes[2] }
  if part.kind == 'image' then
    for i = 1, #part.sizes do sizes[i] = part.sizes[#part.sizes + 1 - i] end
  end
  return {
    kind = part.kind, name = part.name, sizes = sizes, header = part.header,
    read = function(_, options)
      options = optionsOf(where, options)
      local good, value = pcall(valueOf, block, part, options)
      if not good then check.raise(('%s: %s: part %d: %s'):format(where, name, part.index, tostring(value))) end
      return value
    end,
  }
end

--- Opens a file; see `fits.open`.
function reader.open(where, name)
  return (withParts(where, name, function(block, found)
    local list = {}
    for i, part in ipairs(found) do list[i] = public(where, name, block, part) end
    return list
  end))
end

-- Returns the part with a number or name, or the first one with data.
local function chosen(found, wanted)
  for i, part in ipairs(found) do
    local isIt = wanted == i or wanted ~= nil and wanted == part.name
    if isIt or wanted == nil and #part.sizes > 0 then return part end
  end
  if wanted == nil then return found[1] end
  local names = {}
  for i, part in ipairs(found) do names[i] = part.name or tostring(i) end
  error(('part %s, expected one of %s'):format(tostring(wanted), table.concat(names, ', '):sub(1, 200)), 0)
end

--- Reads a part; see `fits.load`.
function reader.load(where, name, part, options)
  options = optionsOf(where, options)
  if part ~= nil and type(part) ~= 'number' and type(part) ~= 'string' then
    check.raise(('%s: part: %s, expected a number or a name'):format(where, check.describe(part)))
  end
  return withParts(where, name, function(block, found)
    local one = chosen(found, part)
    return valueOf(block, one, options), one.header
  end)
end

return reader
