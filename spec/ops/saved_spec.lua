-- What the tape keeps of a call is looked at before it is used.
local sweep = require 'spec.support.sweep'

describe('what changes in place before backward is seen by the tape:', function()
  for title, check in sweep 'saved' do it(title, check) end
end)
