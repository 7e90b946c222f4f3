--- Vectors of sentences, by the network of examples/sentences/fetch.
-- @module sentences.encoder
local torch, text, zoo = require 'torch', require 'text', require 'zoo'

local Encoder = {}
Encoder.__index = Encoder

local longest = 256      -- tokens, as in training; others are left out

--- Returns vectors of the norm 1; the product of two is a similarity from -1 to 1.
-- @tparam {string,...} sentences
-- @treturn torch.Tensor (#sentences, 384)
function Encoder:encode(sentences)
  local list = {}
  for i, sentence in ipairs(sentences) do
    local ids = self.tokenizer:encode(sentence)
    if ids:nElement() > longest then
      ids = torch.cat({ ids:narrow(1, 1, longest - 1), ids:narrow(1, ids:nElement(), 1) }, 1)
    end
    list[i] = ids
  end
  local ids, mask = text.pad(list, { value = self.tokenizer:id '[PAD]' })
  return torch.noGrad(function() return self.net(ids, { mask = mask }) end)
end

return {
  --- Loads tokenizer and network.
  -- @string folder
  -- @treturn Encoder
  load = function(folder)
    return setmetatable({
      tokenizer = text.load(folder .. '/tokenizer.json'), net = zoo.load('all-MiniLM-L6-v2', folder .. '/model.safetensors'),
    }, Encoder)
  end,
}
