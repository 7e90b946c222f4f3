local sweep = require 'spec.support.on_test_device'

describe('every op gives the same in every layout on another device:', function()
  for title, check in sweep 'layout' do it(title, check) end
end)
