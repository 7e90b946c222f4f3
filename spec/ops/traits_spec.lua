-- The memory and the sizes of results, compared with the declarations.
local sweep = require 'spec.support.sweep'

describe('every op has results of the memory and the sizes that it declares:', function()
  for title, check in sweep 'traits' do it(title, check) end
end)
