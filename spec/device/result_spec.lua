local sweep = require 'spec.support.on_test_device'

describe('every op fills a given result on another device:', function()
  for title, check in sweep 'result' do it(title, check) end
end)
