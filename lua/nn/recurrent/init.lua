--- Recurrent layers and cells, embeddings and layer normalisation: nn.LSTM, nn.GRU, nn.RNN, nn.LSTMCell, nn.GRUCell, nn.RNNCell,
-- nn.Embedding, nn.LayerNorm. nn has these classes without this module, which programs may still require; it returns nn.
-- @module nn.recurrent
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
return require 'nn'
