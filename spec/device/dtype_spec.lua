local sweep = require 'spec.support.on_test_device'

describe('every op has results of the dtype that its rule says on another device:', function()
  for title, check in sweep 'dtype' do it(title, check) end
end)
