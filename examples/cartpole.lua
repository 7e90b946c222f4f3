-- Learns to balance a pole on a cart: `th examples/cartpole.lua`, and --help for more. Two ways: a network that learns what each action is
-- worth (DQN), from a memory of what happened; and one that learns which action to take, by the gradient of the policy (REINFORCE). The
-- last line printed is how long the pole stands on average, of 200 steps. Source of the cart: Barto, Sutton & Anderson (1983), "Neuronlike
-- adaptive elements that can solve difficult learning control problems", IEEE SMC 13, with the constants of Gym's CartPole.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, nn, optim, zoo = require 'torch', require 'nn', require 'optim', require 'zoo'
local newCurve = require 'curve'

local command = torch.CmdLine()
command:text 'Learns to balance a pole on a cart: th examples/cartpole.lua'
command:option('--method', 'dqn', 'dqn or policy')
command:option('--steps', 2500, 'steps of eight carts (dqn)')
command:option('--rounds', 60, 'rounds of sixteen carts (policy)')
command:option('--seed', 1, 'of weights and carts')
command:option('--curve', 'cartpole.svg', "where a picture of the mean duration goes; '' draws none")

local longest = 200                                      -- steps of a game
local gravity, cartMass, poleMass, half, force, tau = 9.8, 1, 0.1, 0.5, 10, 0.02
local farthest, steepest = 2.4, 12 * math.pi / 180

local function newCart()
  local cart = { age = 0 }
  for i = 1, 4 do cart[i] = torch.uniform(-0.05, 0.05) end      -- place, velocity, angle, angular velocity
  return cart
end

-- Pushes a cart to the left (1) or right (2) for 0.02 s. Returns whether the pole has fallen, or the cart is too far.
local function push(cart, action)
  local total, f = cartMass + poleMass, action == 2 and force or -force
  local sin, cos = math.sin(cart[3]), math.cos(cart[3])
  local inner = (f + poleMass * half * cart[4] ^ 2 * sin) / total
  local angular = (gravity * sin - cos * inner) / (half * (4 / 3 - poleMass * cos ^ 2 / total))
  local linear = inner - poleMass * half * angular * cos / total
  cart[1], cart[2] = cart[1] + tau * cart[2], cart[2] + tau * linear
  cart[3], cart[4] = cart[3] + tau * cart[4], cart[4] + tau * angular
  cart.age = cart.age + 1
  return math.abs(cart[1]) > farthest or math.abs(cart[3]) > steepest
end

local function statesOf(carts)
  local rows = {}
  for i, cart in ipairs(carts) do rows[i] = { cart[1], cart[2], cart[3], cart[4] } end
  return torch.Tensor(rows)
end

local function newNet() return nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2)):requiresGrad() end

-- The likeliest or best action for each cart.
local function best(net, carts) return torch.noGrad(function() return net(statesOf(carts)):argmax(2):view(-1):totable() end) end

-- Plays `count` games at once; choose(carts) returns actions. Returns the carts, whose ages are the durations.
local function play(count, choose, record)
  local running, all = {}, {}
  for i = 1, count do all[i] = newCart() end
  for i, cart in ipairs(all) do running[i] = cart end
  while #running > 0 do
    local actions, goOn = choose(running), {}
    if record then record(running, actions) end
    for i, cart in ipairs(running) do
      if not push(cart, actions[i]) and cart.age < longest then goOn[#goOn + 1] = cart end
    end
    running = goOn
  end
  return all
end

local function meanAge(carts)
  local sum = 0
  for _, cart in ipairs(carts) do sum = sum + cart.age end
  return sum / #carts
end

local function score(net) return meanAge(play(20, function(carts) return best(net, carts) end)) end

local function learnValues(options, curve)
  local net, discount, carts = newNet(), 0.99, {}
  local memory, target, lowest = zoo.replay(20000), net:clone(), 0.05
  local optimiser = optim.Adam(net:parameters(), { learningRate = 1e-3 })
  for i = 1, 8 do carts[i] = newCart() end
  for step = 1, options.steps do
    local states, actions, isOver = statesOf(carts), best(net, carts), {}
    for i, cart in ipairs(carts) do
      if torch.uniform() < math.max(lowest, 1 - 2 * step / options.steps) then actions[i] = torch.random(2) end
      isOver[i] = push(cart, actions[i]) and 1 or 0
    end
    memory:add { state = states, action = torch.LongTensor(actions):view(-1, 1), next = statesOf(carts), isOver = torch.Tensor(isOver) }
    for i, cart in ipairs(carts) do
      if isOver[i] == 1 or cart.age >= longest then carts[i] = newCart() end
    end
    if memory.count >= 500 then
      local batch = memory:sample(64)
      local worth = torch.noGrad(function()      -- the action is the network's, its worth the older network's: double DQN
        local values = target(batch.next):gather(2, net(batch.next):argmax(2)):view(-1)
        return torch.cmul(values, 1 - batch.isOver):mul(discount):add(1)
      end)
      optimiser:zeroGrad()
      nn.functional.smoothL1Loss(torch.gather(net(batch.state), 2, batch.action):view(-1), worth):backward()
      optim.clipGradNorm(net:parameters(), 10)
      optimiser:step()
    end
    if step % 100 == 0 then target:loadStateDict(net:stateDict()) end
    if step % 250 == 0 then
      local duration = score(net)
      io.write(('%5d steps, the pole stands for %.0f\n'):format(step, duration))
      io.flush()
      curve:add(step, { duration })
    end
  end
  return net
end

-- Sums of later rewards, less each time, of games that all begin at step 1.
local function learnPolicy(options, curve)
  local net, discount = newNet(), 0.99
  local optimiser = optim.Adam(net:parameters(), { learningRate = 5e-3 })
  for round = 1, options.rounds do
    local states, actions, owners = {}, {}, {}
    local carts = play(16, function(running)
      return torch.noGrad(function() return torch.multinomial(torch.softmax(net(statesOf(running)), 2), 1):view(-1):totable() end)
    end, function(running, chosen)
      states[#states + 1] = statesOf(running)
      for i, cart in ipairs(running) do actions[#actions + 1], owners[#owners + 1] = chosen[i], { cart, cart.age } end
    end)
    local returns = {}
    for i, owner in ipairs(owners) do returns[i] = (1 - discount ^ (owner[1].age - owner[2])) / (1 - discount) end
    local advantages = torch.Tensor(returns)
    advantages:add(-advantages:mean()):div(advantages:std() + 1e-8)
    optimiser:zeroGrad()
    local logs = torch.gather(torch.logSoftmax(net(torch.cat(states, 1)), 2), 2, torch.LongTensor(actions):view(-1, 1))
    torch.mul(torch.mean(torch.cmul(logs:view(-1), advantages)), -1):backward()
    optimiser:step()
    curve:add(round, { meanAge(carts) })
    if round % 10 == 0 then
      io.write(('%5d rounds, the pole stands for %.0f\n'):format(round, meanAge(carts)))
      io.flush()
    end
  end
  return net
end

local options = command:parse(arg or {})
torch.setnumthreads(1)
torch.manualSeed(options.seed)
local isDqn = options.method == 'dqn'
local curve = newCurve(options.curve, isDqn and 'steps of eight carts' or 'rounds of sixteen carts', { 'steps that the pole stands' })
local net = (isDqn and learnValues or learnPolicy)(options, curve)
io.write(('the pole stands for %.1f of 200 steps\n'):format(score(net)))
