-- Values, against references in float64 (spec/reference).
local sweep = require 'spec.support.sweep'

describe('every op equals its reference:', function()
  for title, check in sweep 'forward' do it(title, check) end
end)
