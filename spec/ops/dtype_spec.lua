-- The results' types, and types that are refused.
local sweep = require 'spec.support.sweep'

describe('every op has results of the dtype that its rule says:', function()
  for title, check in sweep 'dtype' do it(title, check) end
end)
