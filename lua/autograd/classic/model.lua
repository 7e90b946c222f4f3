--- Networks as functions of their parameters: `f, parameters = autograd.model.NeuralNetwork(options)`.
-- @module autograd.classic.model
local files = {
  NeuralNetwork = 'feedforward', SpatialNetwork = 'feedforward', AlexNet = 'feedforward',
  RecurrentNetwork = 'recurrent', RecurrentGRUNetwork = 'recurrent', RecurrentLSTMNetwork = 'recurrent', RecurrentFWNetwork = 'recurrent',
}

return setmetatable({}, {
  __index = function(model, name)
    if not files[name] then return nil end
    model[name] = require('autograd.classic.model.' .. files[name])[name]
    return model[name]
  end,
})
