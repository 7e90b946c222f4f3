-- Steps of optimisers: returns the tensors of all lists after the step, in the order of the arguments.
local reference = {}

local function flattened(...)
  local all = {}
  for _, list in ipairs { ... } do
    for _, x in ipairs(list) do all[#all + 1] = x end
  end
  return unpack(all)
end

-- Calls update(x, g, states...) -> x, states... for each element of all parameters. A list of states has a tensor for each parameter, or a
-- single one for all.
local function eachElement(parameters, gradients, lists, update)
  local before = 0
  for k, x in ipairs(parameters) do
    for i, v in ipairs(x.data) do
      local own, at = {}, {}
      for s, list in ipairs(lists) do
        local isWhole = #list == 1 and #parameters > 1
        own[s], at[s] = list[isWhole and 1 or k].data, isWhole and before + i or i
      end
      local a, b, c = own[1] and own[1][at[1]], own[2] and own[2][at[2]], own[3] and own[3][at[3]]
      local new = { update(v, gradients[k].data[i], a, b, c) }
      x.data[i] = new[1]
      for s in ipairs(lists) do own[s][at[s]] = new[s + 1] end
    end
    before = before + #x.data
  end
end

function reference.sgd_step(parameters, gradients, buffers, rate, momentum, dampening, decay, nesterov)
  momentum, dampening, decay = momentum or 0, dampening or 0, decay or 0
  eachElement(parameters, gradients, momentum ~= 0 and { buffers } or {}, function(x, g, buffer)
    g = g + decay * x
    if buffer then
      buffer = momentum * buffer + (1 - dampening) * g
      g = nesterov and g + momentum * buffer or buffer
    end
    return x - rate * g, buffer
  end)
  return flattened(parameters, gradients, buffers)
end

-- Returns the reference of a step of Adam's kind: move(g, mean, square, more) -> the step, and the new further state.
local function adamLike(beta1, beta2, decay, scale, move)
  beta1, beta2, decay, scale = beta1 or 0.9, beta2 or 0.999, decay or 0, scale or 1
  return function(x, g, mean, square, more)
    g = g + decay * x
    mean, square = mean + (1 - beta1) * (g - mean), square + (1 - beta2) * (g ^ 2 - square)
    local step, other = move(g, mean, square, more)
    return scale * x - step, mean, square, other
  end
end

function reference.adam_step(parameters, gradients, means, squares, rate, beta1, beta2, epsilon, decay, scale)
  eachElement(parameters, gradients, { means, squares }, adamLike(beta1, beta2, decay, scale, function(_, mean, square)
    return rate * mean / (math.sqrt(square) + (epsilon or 1e-8))
  end))
  return flattened(parameters, gradients, means, squares)
end

function reference.amsgrad_step(parameters, gradients, means, squares, largest, rate, beta1, beta2, epsilon, decay, scale)
  eachElement(parameters, gradients, { means, squares, largest }, adamLike(beta1, beta2, decay, scale, function(_, mean, square, top)
    top = math.max(top, square)
    return rate * mean / (math.sqrt(top) + (epsilon or 1e-8)), top
  end))
  return flattened(parameters, gradients, means, squares, largest)
end

function reference.nadam_step(parameters, gradients, means, squares, ofGradient, ofMean, correction, beta1, beta2, epsilon, decay, scale)
  eachElement(parameters, gradients, { means, squares }, adamLike(beta1, beta2, decay, scale, function(g, mean, square)
    local deviation = math.sqrt(square / (correction or 1)) + (epsilon or 1e-8)
    return ofGradient * g / deviation + ofMean * mean / deviation
  end))
  return flattened(parameters, gradients, means, squares)
end

function reference.radam_step(parameters, gradients, means, squares, rate, isAdaptive, beta1, beta2, epsilon, decay, scale)
  eachElement(parameters, gradients, { means, squares }, adamLike(beta1, beta2, decay, scale, function(_, mean, square)
    return isAdaptive and rate * mean / (math.sqrt(square) + (epsilon or 1e-8)) or rate * mean
  end))
  return flattened(parameters, gradients, means, squares)
end

function reference.adamax_step(parameters, gradients, means, largest, rate, beta1, beta2, epsilon, decay)
  beta1, beta2 = beta1 or 0.9, beta2 or 0.999
  eachElement(parameters, gradients, { means, largest }, function(x, g, mean, top)
    g = g + (decay or 0) * x
    mean, top = mean + (1 - beta1) * (g - mean), math.max(beta2 * top, math.abs(g) + (epsilon or 1e-8))
    return x - rate * mean / top, mean, top
  end)
  return flattened(parameters, gradients, means, largest)
end

function reference.rmsprop_step(parameters, gradients, squares, means, buffers, rate, alpha, epsilon, decay, momentum, isCentered)
  alpha, momentum = alpha or 0.99, momentum or 0
  local states = { squares }
  if isCentered then states[2] = means end
  if momentum ~= 0 then states[#states + 1] = buffers end
  eachElement(parameters, gradients, states, function(x, g, square, second, third)
    g = g + (decay or 0) * x
    square = square + (1 - alpha) * (g ^ 2 - square)
    local mean = isCentered and second + (1 - alpha) * (g - second)
    local direction = g / (math.sqrt(square - (mean or 0) ^ 2) + (epsilon or 1e-8))
    if momentum ~= 0 then direction = direction + momentum * (isCentered and third or second) end
    return x - rate * direction, square, mean or direction, direction
  end)
  return flattened(parameters, gradients, squares, means, buffers)
end

function reference.adagrad_step(parameters, gradients, squares, rate, epsilon, decay)
  eachElement(parameters, gradients, { squares }, function(x, g, square)
    g = g + (decay or 0) * x
    return x - rate * g / (math.sqrt(square + g ^ 2) + (epsilon or 1e-10)), square + g ^ 2
  end)
  return flattened(parameters, gradients, squares)
end

function reference.adadelta_step(parameters, gradients, squares, deltas, rate, rho, epsilon, decay)
  rate, rho, epsilon = rate or 1, rho or 0.9, epsilon or 1e-6
  eachElement(parameters, gradients, { squares, deltas }, function(x, g, square, delta)
    g = g + (decay or 0) * x
    square = square + (1 - rho) * (g ^ 2 - square)
    local d = g * math.sqrt((delta + epsilon) / (square + epsilon))
    return x - rate * d, square, delta + (1 - rho) * (d ^ 2 - delta)
  end)
  return flattened(parameters, gradients, squares, deltas)
end

local function sign(v) return v > 0 and 1 or v < 0 and -1 or 0 end

function reference.lion_step(parameters, gradients, means, rate, beta1, beta2, scale)
  beta1, beta2 = beta1 or 0.9, beta2 or 0.99
  eachElement(parameters, gradients, { means }, function(x, g, mean)
    return (scale or 1) * x - rate * sign(mean + (1 - beta1) * (g - mean)), mean + (1 - beta2) * (g - mean)
  end)
  return flattened(parameters, gradients, means)
end

function reference.asgd_step(parameters, gradients, averages, rate, scale, weight, decay)
  weight = weight or 1
  eachElement(parameters, gradients, { averages }, function(x, g, average)
    x = (scale or 1) * x - rate * g - rate * (decay or 0) * x
    return x, (1 - weight) * average + weight * x
  end)
  return flattened(parameters, gradients, averages)
end

function reference.rprop_step(parameters, gradients, previous, sizes, etaplus, etaminus, least, most)
  local factors = { [1] = etaplus or 1.2, [0] = 1, [-1] = etaminus or 0.5 }
  eachElement(parameters, gradients, { previous, sizes }, function(x, g, last, size)
    local agreement = sign(g * last)
    size = math.min(math.max(size * factors[agreement], least or 1e-6), most or 50)
    if agreement < 0 then g = 0 end
    return x - size * sign(g), g, size
  end)
  return flattened(parameters, gradients, previous, sizes)
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

function reference.clip_values(gradients, limit)
  for _, gradient in ipairs(gradients) do
    for i, v in ipairs(gradient.data) do
      if math.abs(v) > limit then gradient.data[i] = v > 0 and limit or -limit end
    end
  end
  return flattened(gradients)
end

return reference
