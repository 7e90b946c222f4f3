--- Operator metamethods of every class: each calls the hook of the same name with two more underscores.
-- A hook is looked up in the first operand's class, then in the second's; hooks are inherited.
-- A call of a hook occupies a stack level, like native operators in Torch7: programs count levels from hooks to the caller's line. Plain
-- LuaJIT does not look up `__len` in tables; builds with Lua 5.2 compatibility do.
-- @module torch.class.operators
local error, getmetatable, rawget, select, type = error, getmetatable, rawget, select, type

local binary = {
  __add = 'addition', __sub = 'substraction', __mul = 'multiplication', __div = 'division', __mod = 'modulo', __pow = 'power',
  __concat = 'concat', __lt = 'less-than', __le = 'less-equal',
}
local unary = { __unm = 'negation', __len = 'length' }

--- Creates the metamethods.
-- @tparam table class the class system: `recordOf` and `find`
-- @treturn table metamethods by name
return function(class)
  local operators = {}
  local recordOf, find, records = class.recordOf, class.find, class.records

  local function hookOf(x, name)
    local record = recordOf(x)
    return record and find(record, name)
  end

  local function describe(x)
    local record = recordOf(x)
    return record and record.name or type(x)
  end

  for operator, noun in pairs(binary) do
    local name = operator .. '__'
    operators[operator] = function(a, b)
      local hook = hookOf(a, name) or hookOf(b, name)
      if not hook then error(('both %s and %s have no %s operator'):format(describe(a), describe(b), noun), 2) end
      return (hook(a, b))
    end
  end

  for operator, noun in pairs(unary) do
    local name = operator .. '__'
    operators[operator] = function(a)
      local hook = hookOf(a, name)
      if not hook then error(('%s has no %s operator'):format(describe(a), noun), 2) end
      return (hook(a))
    end
  end

  -- The result of torch.class is a metatable, which is not an instance for hooks: calling it creates an instance.
  function operators.__call(self, ...)
    local constructor = records[self] and rawget(self, '__constructor')
    if constructor then return select(1, constructor(...)) end
    local record = records[getmetatable(self)] or recordOf(self)
    local hook = record and find(record, '__call__')
    if not hook then error(describe(self) .. ' has no call operator', 2) end
    return select(1, hook(self, ...))
  end

  function operators.__eq(a, b)
    local hook = hookOf(a, '__eq__') or hookOf(b, '__eq__')
    if hook then return (hook(a, b)) end
    return type(a) == 'userdata' and type(b) == 'userdata' and class.pointer(a) == class.pointer(b)
  end

  function operators.__tostring(self)
    local hook = hookOf(self, '__tostring__')
    if hook then return (hook(self)) end
    return describe(self)
  end

  return operators
end
