-- Runs first: it takes long.
local sweep = require 'spec.support.on_emulated_device'

describe('what changes in place before backward is seen by the tape on an emulated GPU:', function()
  for title, check in sweep 'saved' do it(title, check) end
end)
