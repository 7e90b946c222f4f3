--- The package `distributed` under the name of torch's field.
-- @module torch.distributed
return require('torch').distributed
