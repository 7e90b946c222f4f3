--- Moontorch's classes whose names other packages also use, for example nn.LSTM in rnn: `require 'nn.recurrent'` makes them available.
-- @module nn.recurrent.requested
local fileOf = require 'torch.modules'.file

--- Returns the module of such a class.
-- @string name for example 'nn.LSTM'
-- @treturn ?string module that defines it, nil for any other name
return function(name)
  local short = name:match '^nn%.(%u%w*)$'
  local module = short and 'nn.recurrent.' .. short
  if module and (package.preload[module] or fileOf(module)) then return module end
end
