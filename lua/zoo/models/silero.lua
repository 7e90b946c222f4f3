--- Silero's detector of speech at 16 kHz: a learnt spectrum, four convolutions, a recurrent cell.
-- Call `net(x, state)`: x (N, 576), a chunk of 512 samples and the 64 before it; state (2, N, 128) of the chunk before, or nothing. The
-- results are the probability of speech (N, 1) and the next state. Names are those of the package's safetensors file.
-- @module zoo.models.silero
local torch, nn = require 'torch', require 'nn'

local Silero = torch.class('zoo.Silero', 'nn.Module', {})

local strides, channels = { 1, 2, 2, 1 }, { 129, 128, 64, 64, 128 }

function Silero:__init()
  self.stft_conv = nn.Conv1d(1, 258, 256, { stride = 128, bias = false })
  for i, stride in ipairs(strides) do self['conv' .. i] = nn.Conv1d(channels[i], channels[i + 1], 3, stride, 1) end
  self.lstm_cell = nn.LSTMCell(128, 128)
  self.final_conv = nn.Conv1d(128, 1, 1)
end

function Silero:forward(x, state)
  x = nn.functional.pad(torch.view(torch.contiguous(x), x:size(1), 1, -1), { 0, 64 }, 'reflect')
  local spectrum = self.stft_conv(x)
  local real, imaginary = spectrum:narrow(2, 1, 129), spectrum:narrow(2, 130, 129)
  x = torch.sqrt(torch.cmul(real, real) + torch.cmul(imaginary, imaginary))
  for i = 1, #strides do x = torch.relu(self['conv' .. i](x)) end
  local hidden, cell
  for t = 1, x:size(3) do
    local h, c = hidden or state and state:select(1, 1), cell or state and state:select(1, 2)
    hidden, cell = unpack(self.lstm_cell(h and { x:select(3, t), h, c } or x:select(3, t)))
  end
  local y = torch.sigmoid(self.final_conv(torch.unsqueeze(torch.relu(hidden), 3)))
  return torch.squeeze(y, 3), torch.cat({ torch.unsqueeze(hidden, 1), torch.unsqueeze(cell, 1) }, 1)
end

return require 'zoo.declare' {
  title = 'Silero VAD',
  paper = 'Silero Team (2024), "Silero VAD: pre-trained enterprise-grade Voice Activity Detector", github.com/snakers4/silero-vad',
  input = { 576 }, normalisation = 'samples at 16 kHz from -1 to 1: 64 before a chunk, and its 512',
  options = {}, models = { silero_vad = {} },
  make = function() return Silero.new() end,
  rules = {
    { '^_model%.stft%.forward_basis_buffer$', 'stft_conv.weight' },
    { '^_model%.encoder%.0%.reparam_conv%.', 'conv1.' }, { '^_model%.encoder%.1%.reparam_conv%.', 'conv2.' },
    { '^_model%.encoder%.2%.reparam_conv%.', 'conv3.' }, { '^_model%.encoder%.3%.reparam_conv%.', 'conv4.' },
    { '^_model%.decoder%.rnn%.', 'lstm_cell.' }, { '^_model%.decoder%.decoder%.2%.', 'final_conv.' },
  },
  ignores = { '^_model_8k', '^_context$', '^_state$' },
  samples = { { 'silero_vad', {}, { 2, 576 } } },
}
