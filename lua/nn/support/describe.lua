--- What a declaration says of its class, for help: the constructor's arguments, parameters, the formula, what is taken.
-- @module nn.support.describe

local describe = {}

-- The values that an option takes, beside its kind.
local function range(option)
  if option.min and option.max then return (' %s..%s'):format(option.min, option.max) end
  return option.min and ' >= ' .. option.min or option.max and ' <= ' .. option.max or ''
end

--- An option of a declaration as documentation has arguments.
-- @tparam table option
-- @treturn table with the fields `name`, `kind` (with the values that it takes), `optional` and `default`, as it is written
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

--- What else is known of the class.
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
