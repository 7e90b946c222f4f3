local sweep = require 'spec.support.on_emulated_device'

describe('every op gives the same in every layout on an emulated GPU:', function()
  for title, check in sweep 'layout' do it(title, check) end
end)
