--- The help on a class from its declaration: the constructor's arguments, parameters, the formula, accepted inputs.
-- @module nn.support.describe

local describe = {}

-- Returns the range of an option's values.
local function range(option)
  if option.min and option.max then return (' %s..%s'):format(option.min, option.max) end
  return option.min and ' >= ' .. option.min or option.max and ' <= ' .. option.max or ''
end

--- Returns an option of a declaration in the form that documentation uses for arguments.
-- @tparam table option
-- @treturn table with the fields `name`, `kind` (with its range of values), `optional` and `default`, as written
function describe.argument(option)
  local name, kind = unpack(option, 1, 2)
  local flag = kind == 'boolean' or kind == 'inplace'
  return {
    name = name, kind = (flag and 'boolean' or kind) .. range(option),
    optional = option.default ~= nil or option.optional or flag or kind == 'any',
    default = option.default ~= nil and tostring(option.default) or flag and 'false' or nil,
  }
end

local function namesOf(list)
  local names = {}
  for i, entry in ipairs(list or {}) do names[i] = entry[1] end
  return #names > 0 and table.concat(names, ', ') or nil
end

local takes = { table = 'a table of tensors', any = 'a tensor or a table of tensors' }

local function taken(spec)
  if not spec.dims then return takes[spec.takes] end
  local last = #spec.dims
  if last > 8 then return ('a tensor of %d or more dimensions'):format(spec.dims[1]) end
  local counts = table.concat(spec.dims, ', ', 1, last - 1) .. (last > 1 and ' or ' or '') .. spec.dims[last]
  return ('a tensor of %s dimension%s'):format(counts, counts == '1' and '' or 's')
end

--- Returns further facts on the class.
-- @tparam table class its metatable
-- @treturn {table,...} pairs: 'Parameters' and 'weight, bias'
function describe.facts(class)
  local spec, facts = class.declaration, {}
  local function fact(what, text)
    if text then facts[#facts + 1] = { what, text } end
  end
  if spec then
    fact('Parameters', namesOf(spec.parameters))
    fact('Buffers', namesOf(spec.buffers))
    fact('Formula', type(spec.formula) == 'string' and spec.formula or nil)
    fact('Takes', taken(spec))
  end
  return facts
end

return describe
