-- Steps of optimisers: returns the tensors of all lists after the step, in the order of the arguments.
local reference = {}

local function flattened(...)
  local all = {}
  for _, list in ipairs { ... } do
    for _, x in ipairs(list) do all[#all + 1] = x end
  end
  return unpack(all)
end

function reference.sgd_step(parameters, gradients, buffers, rate, momentum, dampening, decay, nesterov)
  momentum, dampening, decay = momentum or 0, dampening or 0, decay or 0
  for k, x in ipairs(parameters) do
    for i, v in ipairs(x.data) do
      local g = gradients[k].data[i] + decay * v
      if buffers[k] then
        local buffer = momentum * buffers[k].data[i] + (1 - dampening) * g
        buffers[k].data[i] = buffer
        g = nesterov and g + momentum * buffer or buffer
      end
      x.data[i] = v - rate * g
    end
  end
  return flattened(parameters, gradients, buffers)
end

function reference.adam_step(parameters, gradients, means, squares, rate, beta1, beta2, epsilon, decay)
  beta1, beta2, epsilon, decay = beta1 or 0.9, beta2 or 0.999, epsilon or 1e-8, decay or 0
  for k, x in ipairs(parameters) do
    for i, v in ipairs(x.data) do
      local g = gradients[k].data[i] + decay * v
      local mean = beta1 * means[k].data[i] + (1 - beta1) * g
      local square = beta2 * squares[k].data[i] + (1 - beta2) * g ^ 2
      means[k].data[i], squares[k].data[i] = mean, square
      x.data[i] = v - rate * mean / (math.sqrt(square) + epsilon)
    end
  end
  return flattened(parameters, gradients, means, squares)
end

function reference.unscale(gradients, found, factor)
  for _, gradient in ipairs(gradients) do
    for i, v in ipairs(gradient.data) do
      if v ~= v or math.abs(v) == math.huge then found.data[1] = 1 end
      gradient.data[i] = v * factor
    end
  end
  return flattened(gradients, { found })
end

return reference
