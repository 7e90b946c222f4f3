--- The classes of the tape's interface: each has the rule that its algorithm's file declares.
-- @module optim.classes
local torch = require 'torch'
local rules = require 'optim.rules'
require 'optim.Optimizer'
require 'optim.optimizer_state'

--- Adds classes to optim.
-- @tparam table optim
-- @string names of the classes: those of the algorithms' files, except for capitals
return function(_, names)
  for name in names:gmatch '%S+' do
    require('optim.' .. name:lower())
    local class = torch.class('optim.' .. name, 'optim.Optimizer')
    class._rule, class.__givesWay, class.__module = rules.of(name), true, rules.of(name).module
  end
end
