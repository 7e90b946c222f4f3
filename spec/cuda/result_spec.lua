local sweep = require 'spec.support.on_emulated_device'

describe('every op fills a given result on an emulated GPU:', function()
  for title, check in sweep 'result' do it(title, check) end
end)
