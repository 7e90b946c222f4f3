-- Runs busted in the LuaJIT that runs this file: `build/release/bin/th spec/run.lua spec/torch`. With MT_SPEC_DEVICE=cuda:1 new tensors are
-- on the emulated GPU (cuda/emulated), unless a spec sets another device. Each test has its own seed (spec/support/seeded.lua).
local device = os.getenv 'MT_SPEC_DEVICE'
if device then
  local torch = require 'torch'
  torch.loadDevice(require('spec.support.gpu').path)
  torch.setDefaultDevice(device)
end
local newCore, seeded = require 'busted.core', require 'spec.support.seeded'
package.loaded['busted.core'] = function()
  local busted = newCore()
  seeded(busted)
  return busted
end
-- Else busted unloads the modules of a file at its end; the next file would load them again, and their classes are there already.
table.insert(arg, 1, '--no-auto-insulate')
require 'busted.runner' { standalone = false }
