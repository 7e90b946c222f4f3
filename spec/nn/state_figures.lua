-- Written by spec/nn/state_figures.py.
return {
  {
    name = 'mlp', input = { 5, 3 }, projection = 0.7459588626249153,
    state = {
      { '0.weight', 4, 3 },
      { '0.bias', 4 },
      { '2.weight', 2, 4 },
      { '2.bias', 2 },
    },
  },
  {
    name = 'nested', input = { 5, 3 }, projection = 3.1231624743571103,
    state = {
      { '0.0.weight', 4, 3 },
      { '1.weight', 2, 4 },
      { '1.bias', 2 },
    },
  },
  {
    name = 'norm', input = { 5, 3 }, projection = -3.829924374919878,
    state = {
      { '0.weight', 4, 3 },
      { '0.bias', 4 },
      { '1.weight', 4 },
      { '1.bias', 4 },
      { '1.running_mean', 4 },
      { '1.running_var', 4 },
      { '2.running_mean', 4 },
      { '2.running_var', 4 },
    },
  },
  {
    name = 'pictures', input = { 2, 2, 5, 6 }, projection = -10.537051301376113,
    state = {
      { '0.weight', 3, 2, 2, 3 },
      { '0.bias', 3 },
      { '1.weight', 3 },
      { '1.bias', 3 },
      { '1.running_mean', 3 },
      { '1.running_var', 3 },
      { '2.weight', 3 },
    },
  },
  {
    name = 'matrix', input = { 2, 2, 5, 6 }, projection = -14.15698728192163,
    state = {
      { '0.weight', 3, 2, 2, 3 },
      { '0.bias', 3 },
    },
  },
  {
    name = 'up', input = { 2, 2, 4, 5 }, projection = 0.5341922095170704,
    state = {
      { '0.weight', 2, 3, 2, 3 },
      { '0.bias', 3 },
    },
  },
  {
    name = 'volumes', input = { 2, 2, 3, 4, 5 }, projection = 0.8951243974922951,
    state = {
      { '0.weight', 3, 2, 2, 3, 1 },
      { '0.bias', 3 },
      { '1.weight', 3 },
      { '1.bias', 3 },
      { '1.running_mean', 3 },
      { '1.running_var', 3 },
    },
  },
  {
    name = 'frames', input = { 2, 2, 7 }, projection = -2.8503586421752756,
    state = {
      { 'weight', 3, 2, 4 },
      { 'bias', 3 },
    },
  },
  {
    name = 'lstm', input = { 5, 2, 3 }, projection = -4.339385284582959,
    state = {
      { 'weight_ih_l0', 16, 3 },
      { 'weight_hh_l0', 16, 4 },
      { 'bias_ih_l0', 16 },
      { 'bias_hh_l0', 16 },
      { 'weight_ih_l0_reverse', 16, 3 },
      { 'weight_hh_l0_reverse', 16, 4 },
      { 'bias_ih_l0_reverse', 16 },
      { 'bias_hh_l0_reverse', 16 },
      { 'weight_ih_l1', 16, 8 },
      { 'weight_hh_l1', 16, 4 },
      { 'bias_ih_l1', 16 },
      { 'bias_hh_l1', 16 },
      { 'weight_ih_l1_reverse', 16, 8 },
      { 'weight_hh_l1_reverse', 16, 4 },
      { 'bias_ih_l1_reverse', 16 },
      { 'bias_hh_l1_reverse', 16 },
    },
  },
  {
    name = 'gru', input = { 5, 2, 3 }, projection = 1.7887077173904553,
    state = {
      { 'weight_ih_l0', 12, 3 },
      { 'weight_hh_l0', 12, 4 },
      { 'bias_ih_l0', 12 },
      { 'bias_hh_l0', 12 },
    },
  },
  {
    name = 'rnn', input = { 5, 2, 3 }, projection = -0.8509270521546539,
    state = {
      { 'weight_ih_l0', 4, 3 },
      { 'weight_hh_l0', 4, 4 },
    },
  },
  {
    name = 'cell', input = { 5, 3 }, projection = 0.3584271059241467,
    state = {
      { 'weight_ih', 12, 3 },
      { 'weight_hh', 12, 4 },
      { 'bias_ih', 12 },
      { 'bias_hh', 12 },
    },
  },
  {
    name = 'attention', input = { 2, 3, 4 }, projection = 1.4114564758108683,
    state = {
      { 'in_proj_weight', 12, 4 },
      { 'in_proj_bias', 12 },
      { 'out_proj.weight', 4, 4 },
      { 'out_proj.bias', 4 },
    },
  },
  {
    name = 'layerNorm', input = { 5, 3 }, projection = 1.3925324735528155,
    state = {
      { '0.weight', 3 },
      { '0.bias', 3 },
      { '1.weight', 2, 3 },
      { '1.bias', 2 },
    },
  },
}
