--- The classes of ours whose names other packages take for their own, as rnn does nn.LSTM: `require 'nn.recurrent'` brings them.
-- @module nn.recurrent.requested
local fileOf = require 'torch.modules'.file

--- Where such a class is.
-- @string name for example 'nn.LSTM'
-- @treturn ?string module that makes it, nil for any other name
return function(name)
  local short = name:match '^nn%.(%u%w*)$'
  local module = short and 'nn.recurrent.' .. short
  if module and (package.preload[module] or fileOf(module)) then return module end
end
