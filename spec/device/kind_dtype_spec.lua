local sweep = require 'spec.support.on_device'('test_device', 'other:1')

describe('dtypes in and out, on a device whose types have names of their own:', function()
  for title, check in sweep 'dtype' do it(title, check) end
end)
