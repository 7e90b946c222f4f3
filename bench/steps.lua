--- Training steps on a batch: each is a function that takes one step and returns the loss.
-- @module steps
local steps = {}

--- A step on the tape.
-- @param net a module
-- @tparam function loss of the output and the target
-- @param input input of net
-- @param target second argument of loss
-- @param optimizer such as optim.SGD, over the parameters of net
function steps.onTape(net, loss, input, target, optimizer)
  return function()
    optimizer:zeroGrad()
    local value = loss(net(input), target)
    value:backward()
    optimizer:step()
    return value:item()
  end
end

--- A step by Torch7's protocol.
-- @param net a module
-- @param criterion
-- @param input input of net
-- @param target criterion's target
-- @tparam function update such as optim.sgd
-- @tparam table config its options
function steps.byProtocol(net, criterion, input, target, update, config)
  local parameters, gradients = net:getParameters()
  local function evaluate()
    gradients:zero()
    local output = net:forward(input)
    local value = criterion:forward(output, target)
    net:backward(input, criterion:backward(output, target))
    return value, gradients
  end
  return function()
    local _, losses = update(evaluate, parameters, config)
    return losses[1]
  end
end

return steps
