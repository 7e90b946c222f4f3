--- A change of the last dimensions' sizes.
-- @classmod distributions.ReshapeTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check, shapes = require 'torch.check', require 'distributions.shapes'
require 'distributions.Transform'

local ReshapeTransform = torch.class('distributions.ReshapeTransform', 'distributions.Transform')

--- @tparam {int,...} inShape sizes of a value
-- @tparam {int,...} outShape sizes of a result, of as many elements
function ReshapeTransform:__init(inShape, outShape)
  local where = 'distributions.ReshapeTransform'
  self.inShape, self.outShape = shapes.of(where, inShape), shapes.of(where, outShape)
  check.that(shapes.count(self.inShape) == shapes.count(self.outShape), ('%s: outShape: %s, expected as many elements as %s'):format(where,
    shapes.text(self.outShape), shapes.text(self.inShape)), 'shape')
  self.domain = constraints.independent(constraints.real, #self.inShape)
  self.codomain = constraints.independent(constraints.real, #self.outShape)
end

local function reshaped(x, from, to)
  local sizes = x:size():totable()
  local lead = shapes.part(sizes, 1, #sizes - #from)
  return x:contiguous():view(torch.LongStorage(shapes.ofTensor(shapes.join(lead, to))))
end

function ReshapeTransform:_call(x) return reshaped(x, self.inShape, self.outShape) end
function ReshapeTransform:_inverse(y) return reshaped(y, self.outShape, self.inShape) end
function ReshapeTransform:_logDet(x) return self._sumLast(torch.mul(x, 0), #self.inShape) end

local function replaced(sizes, from, to) return shapes.join(shapes.part(sizes, 1, #sizes - #from), to) end

function ReshapeTransform:forwardShape(sizes) return replaced(sizes, self.inShape, self.outShape) end
function ReshapeTransform:inverseShape(sizes) return replaced(sizes, self.outShape, self.inShape) end

return ReshapeTransform
