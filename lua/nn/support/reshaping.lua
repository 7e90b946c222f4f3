--- Formulas of modules that view their input in other sizes, or a copy if its elements are not contiguous. The gradient is a view of
-- gradOutput, with channels last if the input has that layout, so that the modules before it can use the same layout.
-- @module nn.support.reshaping

--- @tparam function sizesOf of (self, input): the sizes, a list or a LongStorage
-- @treturn function (self, input) -> the formula, and the value `sizes`
return function(sizesOf)
  return function(self, input)
    local sizes = sizesOf(self, input)
    return input:isChannelsLast() and 'view(contiguous(channelsLast(input)), sizes)' or 'view(contiguous(input), sizes)', sizes
  end
end
