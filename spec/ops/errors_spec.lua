-- Bad arguments: missing, of a wrong kind, of bad sizes, out of range.
local sweep = require 'spec.support.sweep'

describe('every op refuses what is wrong, and changes nothing:', function()
  for title, check in sweep 'errors' do it(title, check) end
end)
