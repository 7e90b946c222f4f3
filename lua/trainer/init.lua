--- Training: a loop over batches with hooks, meters, validation, checkpoints and logs.
-- `Trainer { model = net, criterion = c, optimizer = o, data = loader, epochs = 3 }:run()` trains; trainer.Trainer lists all options.
-- @module trainer
-- @usage local Trainer = require 'trainer'
-- local trainer = Trainer {
--   model = net, criterion = nn.CrossEntropyCriterion(), optimizer = optim.Adam(net:requiresGrad():parameters()),
--   data = loader, epochs = 3,
-- }
-- print(trainer:run().values.loss)
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local trainer = {}
require 'torch.modules'.publish('trainer', trainer)

require 'torch.start.lazy_loader'(trainer, [[
  trainer.Trainer: Trainer
  trainer.CSVLogger: CSVLogger
  trainer.JSONLogger: JSONLogger
  trainer.SummaryWriter: SummaryWriter
]])
debug.getmetatable(trainer).__call = function(_, ...) return trainer.Trainer(...) end

return trainer
