--- DQN: what each action in a game is worth, from the last four pictures of the screen.
-- Call `net(x)`: x (N, 4, 84, 84), grey values from 0 to 255; the result is (N, numActions).
-- Source: the paper below, "Model architecture"; names of parameters as in CleanRL's dqn_atari.py.
-- @module zoo.models.dqn
local torch, nn = require 'torch', require 'nn'

local Dqn = torch.class('zoo.Dqn', 'nn.Module', {})

function Dqn:__init(o)
  self.network = nn.Sequential(
    nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(), nn.Conv2d(64, 64, 3, 1), nn.ReLU(), nn.Flatten(),
    nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, o.numActions))
end

function Dqn:forward(x) return self.network(torch.div(x, 255)) end

return require 'zoo.declare' {
  title = 'DQN',
  paper = 'Mnih et al. (2015), "Human-level control through deep reinforcement learning", Nature 518',
  input = { 4, 84, 84 }, normalisation = 'grey values from 0 to 255',
  options = { { 'numActions', 'int', min = 1, default = 4 } },
  models = { dqn = {} },
  make = function(o) return Dqn.new(o) end,
  samples = { { 'dqn', { numActions = 3 }, { 1, 4, 84, 84 } } },
}
