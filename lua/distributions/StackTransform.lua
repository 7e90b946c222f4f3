--- A list of transforms, one for each slice of a dimension.
-- @classmod distributions.StackTransform
local torch = require 'torch'
require 'distributions.CatTransform'

local StackTransform, parent = torch.class('distributions.StackTransform', 'distributions.CatTransform')

--- @tparam {distributions.Transform,...} parts maps of numbers
-- @int[opt=1] dim
function StackTransform:__init(parts, dim) parent.__init(self, parts, dim) end

return StackTransform
