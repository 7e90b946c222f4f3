-- Derivatives of first and second order against differences.
local sweep = require 'spec.support.sweep'

describe('every op has the derivatives that differences show:', function()
  for title, check in sweep 'gradient' do it(title, check) end
end)
