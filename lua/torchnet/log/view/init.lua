--- Viewers of logs.
-- @module torchnet.log.view
local view = {}

require 'torch.start.lazy_loader'(view, [[
  text = torchnet.log.view.text
  json = torchnet.log.view.json
  status = torchnet.log.view.status
]])

return view
