-- Runs first: it takes long.
local sweep = require 'spec.support.on_emulated_device'

describe('every op has its derivative on an emulated GPU:', function()
  for title, check in sweep 'gradient' do it(title, check) end
end)
