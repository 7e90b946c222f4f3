-- Out arguments, and in-place methods.
local sweep = require 'spec.support.sweep'

describe('every op writes the result that it is given:', function()
  for title, check in sweep 'result' do it(title, check) end
end)
