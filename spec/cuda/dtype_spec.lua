local sweep = require 'spec.support.on_emulated_device'

describe('every op has results of the dtype that its rule says on an emulated GPU:', function()
  for title, check in sweep 'dtype' do it(title, check) end
end)
