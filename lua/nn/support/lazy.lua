--- Modules that learn the size of their input from the first one, and then become modules of another class.
-- Until then they have no parameters: `parameters`, and what is based on it, raises an error. Their type and device are those to which
-- they were converted.
-- @module nn.support.lazy
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'

-- The fields that a module keeps when it becomes another.
local kept = { output = true, gradInput = true, train = true, _type = true }

--- Creates a class.
-- @string name of the class
-- @string real the name of the class that its modules become
-- @string inferred the name of the option of the real class that the input determines; the other options are those of this class
-- @tparam function sizeOf (where, input) returns the value of that option, or raises an error
-- @treturn table the class
return function(name, real, inferred, sizeOf)
  local class = torch.getmetatable(real) or nn[real:match '[^.]*$'] and torch.getmetatable(real)
  local options = {}
  for _, option in ipairs(class.declaration.options) do
    if option[1] ~= inferred then
      local copy = { field = '_' .. option[1] }
      for key, value in pairs(option) do
        if key ~= 'field' then copy[key] = value end
      end
      options[#options + 1] = copy
    end
  end
  local Lazy = nn.declare { name = name, options = options }
  Lazy.__givesWay = true                                                     -- Torch7 lacks these classes

  -- Makes a module one of the real class, with its parameters.
  local function become(self, input)
    if not torch.isTensor(input) then check.raise(('%s: input: a %s, expected a tensor'):format(name, torch.type(input))) end
    local arguments, count = {}, #class.declaration.options
    local size = sizeOf(name, input)
    for i, option in ipairs(class.declaration.options) do
      if option[1] == inferred then arguments[i] = size else arguments[i] = self['_' .. option[1]] end
    end
    local made = nn[real:match '[^.]*$'](unpack(arguments, 1, count))
    made:type(('%s on %s'):format(self._type, self.output:device()))
    for _, option in ipairs(options) do self[option.field] = nil end
    for key, value in next, made do
      if not kept[key] or self[key] == nil then self[key] = value end
    end
    torch.setmetatable(self, real)
  end

  for _, method in ipairs { 'forward', 'updateOutput', 'onTape', '__call__' } do
    Lazy[method] = function(self, input, ...)
      become(self, input)
      return self[method](self, input, ...)
    end
  end

  function Lazy:parameters()
    check.raise(('%s: parameters: none before the first forward, which makes the module a %s'):format(torch.type(self), real))
  end

  function Lazy:__tostring__() return torch.type(self) .. '()' end

  return Lazy
end
