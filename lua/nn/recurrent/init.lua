--- Recurrent layers and cells, embeddings and layer normalisation: nn.LSTM, nn.GRU, nn.RNN, nn.LSTMCell, nn.GRUCell, nn.RNNCell,
-- nn.Embedding, nn.LayerNorm.
-- Torch7's nn has none of these names, and packages such as rnn make classes of them: so ours are there once this module has been
-- required, or a file has had one. A class that a package has made stays, and one made later takes the place of ours.
-- @module nn.recurrent
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
local torch, nn = require 'torch', require 'nn'

for name in ('LSTM GRU RNN LSTMCell GRUCell RNNCell Embedding LayerNorm'):gmatch '%a+' do
  if rawget(nn, name) == nil and not torch.getmetatable('nn.' .. name) then require('nn.recurrent.' .. name) end
end

return nn
