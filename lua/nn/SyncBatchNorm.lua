--- Batch normalisation over the processes of a program by PyTorch's name. Moontorch trains in one process, where it is nn.BatchNorm1d to
-- BatchNorm3d, for any number of dimensions from 2 on.
-- @classmod nn.SyncBatchNorm
local batchNorm = require 'nn.support.batchNorm'

return batchNorm('nn.SyncBatchNorm', 2, math.huge, { { 'SyncBatchNorm(3)', { 2, 3, 2 } } })
