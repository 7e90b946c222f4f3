-- Runs first: it takes long.
local sweep = require 'spec.support.on_test_device'

describe('every op has its derivative on another device:', function()
  for title, check in sweep 'gradient' do it(title, check) end
end)
