-- The same elements at other places: strides, offsets, lengths.
local sweep = require 'spec.support.sweep'

describe('every op gives the same in every layout:', function()
  for title, check in sweep 'layout' do it(title, check) end
end)
