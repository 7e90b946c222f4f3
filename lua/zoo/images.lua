--- What networks for pictures share: ImageNet's input, normalisation and labels, and first parameters.
-- @module zoo.images
local torch, nn = require 'torch', require 'nn'

local images = {
  input = { 3, 224, 224 },
  normalisation = { mean = { 0.485, 0.456, 0.406 }, std = { 0.229, 0.224, 0.225 } },
  labels = 'zoo.labels.imagenet',
}

--- Draws the weights of all convolutions by He's normal initialisation for the outputs, and sets their biases to 0.
-- Source: He et al. (2015), "Delving Deep into Rectifiers", ICCV, section 2.2.
-- @tparam nn.Module net
-- @treturn nn.Module net
function images.initialise(net)
  for _, module in ipairs(net:listModules()) do
    if torch.isTypeOf(module, 'nn.Conv2d') then
      nn.init.kaimingNormal(module.weight, { mode = 'out' })
      if module.bias then nn.init.zeros(module.bias) end
    end
  end
  return net
end

return images
