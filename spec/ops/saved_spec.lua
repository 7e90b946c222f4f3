-- The tape checks saved tensors for changes before it uses them.
local sweep = require 'spec.support.sweep'

describe('what changes in place before backward is seen by the tape:', function()
  for title, check in sweep 'saved' do it(title, check) end
end)
