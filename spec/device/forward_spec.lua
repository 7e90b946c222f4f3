local sweep = require 'spec.support.on_test_device'

describe('every op equals its reference on another device:', function()
  for title, check in sweep 'forward' do it(title, check) end
end)
