--- Recurrent layers and cells, embeddings and layer normalisation: nn.LSTM, nn.GRU, nn.RNN, nn.LSTMCell, nn.GRUCell, nn.RNNCell,
-- nn.Embedding, nn.LayerNorm.
-- Torch7's nn has none of these names, and packages such as rnn define such classes. Therefore Moontorch's classes exist only after a
-- program has required this module, or read a file with one. A class that a package has already defined stays, and a class that it defines
-- later replaces Moontorch's.
-- @module nn.recurrent
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
local torch, nn = require 'torch', require 'nn'

for name in ('LSTM GRU RNN LSTMCell GRUCell RNNCell Embedding LayerNorm'):gmatch '%a+' do
  if rawget(nn, name) == nil and not torch.getmetatable('nn.' .. name) then require('nn.recurrent.' .. name) end
end

return nn
