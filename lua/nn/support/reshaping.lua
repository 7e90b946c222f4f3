--- Formulas of modules that show the elements of their input in other sizes, of a copy where they don't lie one after the other. The
-- gradient shows gradOutput, with its channels last where the input has them so: the modules before it can go on as they came.
-- @module nn.support.reshaping

--- @tparam function sizesOf of (self, input): the sizes, a list or a LongStorage
-- @treturn function (self, input) -> the formula, and the value `sizes`
return function(sizesOf)
  return function(self, input)
    local sizes = sizesOf(self, input)
    return input:isChannelsLast() and 'view(contiguous(channelsLast(input)), sizes)' or 'view(contiguous(input), sizes)', sizes
  end
end
