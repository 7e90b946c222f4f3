--- Creates classes of modules that add a border around images.
-- @module nn.support.pictureBorder
local check, nn = require 'torch.check', require 'nn'
local whole = require 'nn.support.window'.whole
local refuse = require 'torch.check.refuse'

local fields = { 'pad_l', 'pad_r', 'pad_t', 'pad_b' }

--- @string name of the class
-- @tparam function extend one of nn.support.border's
-- @tparam table samples for the specs
-- @treturn table the class, with the constructor (pad_l, pad_r, pad_t, pad_b)
return function(name, extend, samples)
  local class, parent = nn.declare {
    name = name,
    compute = function(self, input)
      local dim = input:dim()
      if dim ~= 3 and dim ~= 4 then refuse.shape('input must be 3 or 4-dimensional') end
      local left, right, top, bottom = self.pad_l, self.pad_r, self.pad_t, self.pad_b
      if not (left and right and top and bottom) then
        for _, field in ipairs(fields) do self[field] = check.whole(name, field, self[field]) end
      end
      return extend(extend(input, dim - 1, top, bottom), dim, left, right)
    end,
    prints = function(self) return ('(l=%d, r=%d, t=%d, b=%d)'):format(self.pad_l, self.pad_r, self.pad_t, self.pad_b) end,
    samples = samples,
  }

  function class:__init(left, right, top, bottom)
    parent.__init(self)
    self.pad_l, self.pad_r = whole(self, 'pad_l', left), whole(self, 'pad_r', right or left)
    self.pad_t, self.pad_b = whole(self, 'pad_t', top or left), whole(self, 'pad_b', bottom or left)
  end

  return class
end
