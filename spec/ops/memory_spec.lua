-- Leaks, and allocations that fail.
local sweep = require 'spec.support.sweep'

describe('every op keeps no memory and survives its end:', function()
  for title, check in sweep 'memory' do it(title, check) end
end)
