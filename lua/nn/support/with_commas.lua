--- Whole numbers as text, with commas between thousands.
-- @module nn.support.with_commas

--- @number number
-- @treturn string
return function(number)
  local text = ('%.0f'):format(number)
  return (text:reverse():gsub('(%d%d%d)', '%1,'):reverse():gsub('^,', ''))
end
