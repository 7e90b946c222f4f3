local sweep = require 'spec.support.on_emulated_device'

describe('every op equals its reference on an emulated GPU:', function()
  for title, check in sweep 'forward' do it(title, check) end
end)
