--- What a declaration says of its class, for help: how the constructor is called, parameters, the formula, what is taken.
-- @module nn.support.describe

local describe = {}

-- The values that an option takes, beside its kind.
local function range(option)
  if option.min and option.max then return (' %s..%s'):format(option.min, option.max) end
  return option.min and ' >= ' .. option.min or option.max and ' <= ' .. option.max or ''
end

local function written(option)
  local name, kind = unpack(option, 1, 2)
  local text = ('%s: %s%s'):format(name, kind == 'inplace' and 'boolean' or kind, range(option))
  if option.default ~= nil then return ('[%s = %s]'):format(text, tostring(option.default)) end
  local mayBeLeftOut = option.optional or kind == 'boolean' or kind == 'inplace' or kind == 'any'
  return mayBeLeftOut and ('[%s]'):format(text) or text
end

--- How the constructor is called, by the declared options: nn.Linear(inputSize: int >= 1, ...).
-- @tparam table class its metatable
-- @treturn ?string nil where the class has a constructor that is written out
function describe.call(class)
  if not class.declaredInit or class.__init ~= class.declaredInit then return nil end
  local options = {}
  for i, option in ipairs(class.declaredOptions) do options[i] = written(option) end
  return ('%s(%s)'):format(class.__typename, table.concat(options, ', '))
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
  local counts = table.concat(spec.dims, ', ', 1, last - 1) .. (last > 1 and ' or ' or '') .. spec.dims[last]
  return ('a tensor of %s dimension%s'):format(counts, counts == '1' and '' or 's')
end

--- What else is known of the class, a line for each: 'parameters: weight, bias'.
-- @tparam table class its metatable
-- @treturn {string,...}
function describe.facts(class)
  local spec, facts = class.declaration, {}
  local function fact(what, text)
    if text then facts[#facts + 1] = ('%s: %s'):format(what, text) end
  end
  if spec then
    fact('parameters', namesOf(spec.parameters))
    fact('buffers', namesOf(spec.buffers))
    fact('formula', type(spec.formula) == 'string' and spec.formula or nil)
    fact('takes', taken(spec))
  end
  return facts
end

return describe
