--- A parent's methods as its subclass calls them: `super.method(self, ...)`.
-- @module classic.super
local state = require 'classic.state'

--- The table of a parent's methods, looked up at each call.
-- @param parent a class
-- @treturn table
-- @raise for an unknown method, and for a call `super:method()`
return function(parent)
  local own = state.of(parent)
  local wrappers = setmetatable({}, { __mode = 'k' })
  local super = {}
  return setmetatable(super, {
    __index = function(_, name)
      local method = own.methods[name]
      if method == nil then error(('%s: super: no method %s'):format(own.name, tostring(name)), 2) end
      if not wrappers[method] then
        wrappers[method] = function(self, ...)
          if rawequal(self, super) then
            error(('Misuse of Super object! Call super.%s(self, ...), not super:%s(...)'):format(name, name), 2)
          end
          return method(self, ...)
        end
      end
      return wrappers[method]
    end,
    __newindex = function(_, name)
      error(('%s: super: %s: a parent\'s methods are not changed by way of a subclass'):format(own.name, tostring(name)), 2)
    end,
    __tostring = function() return ('classic.super<%s>'):format(own.name) end,
  })
end
