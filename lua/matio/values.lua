--- What MAT-files can represent of a program's values.
-- @module matio.values
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local refuse = check.raise

local values = {}

local deepest, longestName = 100, 63

-- Types that MATLAB lacks -> the next one.
local nearest = { Half = 'Float', BFloat16 = 'Float', Float8E4m3 = 'Float', Float8E5m2 = 'Float', ComplexHalf = 'ComplexFloat' }

--- Returns the path of an inner value, for messages: a.b or a{2}.
function values.path(path, key)
  return type(key) == 'number' and ('%s{%d}'):format(path, key) or ('%s.%s'):format(path, key)
end

--- Returns the keys of a table, sorted.
-- @string where
-- @string path of the table
-- @tparam table fields
-- @raise for a key that is no name of MATLAB's: a letter, then letters, digits and underscores, at most 63
function values.names(where, path, fields)
  local names = {}
  for name in pairs(fields) do
    if type(name) ~= 'string' or not name:find '^%a[%w_]*$' or #name > longestName then
      refuse(('%s: %s: the name %s, expected a letter, then letters, digits and _, at most %d'):format(where, path, check.describe(name),
        longestName))
    end
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

-- Returns whether a table is a list without gaps.
local function isList(value)
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  return count == #value
end

-- The type of tensors with a number of the FFI as an element; nil for other values.
local function kindOfNumber(value)
  return ffi.istype('complex', value) and 'ComplexDouble' or ffi.istype('int64_t', value) and 'Long'
    or ffi.istype('uint64_t', value) and 'UInt64' or nil
end

--- Returns the kind of a value in files, and the value in that form.
-- @tparam table place `where` and `path` for messages, `depth`
-- @param value
-- @treturn string 'tensor', 'text', 'sparse', 'list' or 'struct'
function values.kind(place, value)
  if place.depth > deepest then refuse(('%s: %s: more than %d tables in each other'):format(place.where, place.path, deepest)) end
  if torch.isTensor(value) then
    local kind = nearest[value:type():match '([^.]*)Tensor$']
    return 'tensor', (kind and value:type(('torch.%sTensor'):format(kind)) or value):detach()
  end
  local kind = type(value) == 'number' and 'Double' or type(value) == 'cdata' and kindOfNumber(value)
  if kind then return 'tensor', torch[kind .. 'Tensor'] { { value } } end
  if type(value) == 'boolean' then return 'tensor', torch.BoolTensor { { value and 1 or 0 } } end
  if type(value) == 'string' then return 'text', value end
  if torch.sparse.isSparse(value) then
    if value:dim() ~= 2 then refuse(('%s: %s: %d dimensions, expected a sparse matrix'):format(place.where, place.path, value:dim())) end
    return 'sparse', value
  end
  if type(value) ~= 'table' or torch.typename(value) then
    refuse(('%s: %s: %s, expected a tensor, number, boolean, string, sparse matrix or table of such values'):format(place.where, place.path,
      check.describe(value)))
  end
  return isList(value) and 'list' or 'struct', value
end

return values
