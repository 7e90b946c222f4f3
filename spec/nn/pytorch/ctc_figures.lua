-- Written by spec/nn/pytorch/figures.py from ctc_cases.py.
return {
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 3, 2 }, { 3, 3, 4 } }, torch.LongTensor { 6, 6 }, torch.LongTensor { 3, 2 }, { reduction = 'mean' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { {  }, 1.88244570119, 1.91024021206 },
    },
    gradients = {
      { { 6, 2, 4 }, 0.117513091422, 0.0118057413605, -0.0590407452067, -0.101441397068, 0.00866476174515, 0.00183451842081 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 3, 2 }, { 3, 3, 4 } }, torch.LongTensor { 6, 4 }, torch.LongTensor { 3, 2 }, { reduction = 'mean' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { {  }, 1.87227735074, 1.89992172483 },
    },
    gradients = {
      { { 6, 2, 4 }, 0.317587767662, 0.0118057413605, -0.0590407452067, -0.101441397068, 0.00866476174515, 0 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 3, 2 }, { 3, 3, 4 } }, torch.LongTensor { 6, 6 }, torch.LongTensor { 3, 2 }, { reduction = 'sum' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { {  }, 9.24227080263, 9.37873391344 },
    },
    gradients = {
      { { 6, 2, 4 }, 0.82750503166, 0.0708344481631, -0.35424447124, -0.608648382409, 0.0519885704709, 0.00733807368326 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 3, 2 }, { 3, 3, 4 } }, torch.LongTensor { 6, 4 }, torch.LongTensor { 3, 2 }, { reduction = 'sum' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { {  }, 9.20159740082, 9.33745996453 },
    },
    gradients = {
      { { 6, 2, 4 }, 1.62780373662, 0.0708344481631, -0.35424447124, -0.608648382409, 0.0519885704709, 0 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 3, 2 }, { 3, 3, 4 } }, torch.LongTensor { 6, 6 }, torch.LongTensor { 3, 2 }, { reduction = 'none' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { { 2 }, 8.24363545961, 5.21331919559, 4.16541471784 },
    },
    gradients = {
      { { 6, 2, 4 }, 0.967668127076, 0.0708344481631, -0.35424447124, -0.608648382409, 0.0519885704709, 0.00313748286505 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 3, 2 }, { 3, 3, 4 } }, torch.LongTensor { 6, 4 }, torch.LongTensor { 3, 2 }, { reduction = 'none' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { { 2 }, 8.21285726079, 5.21331919559, 4.12414076894 },
    },
    gradients = {
      { { 6, 2, 4 }, 1.30984559518, 0.0708344481631, -0.35424447124, -0.608648382409, 0.0519885704709, 0 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { 2, 3, 2, 3, 3 }, torch.LongTensor { 6, 6 }, torch.LongTensor { 3, 2 }, { reduction = 'mean' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { {  }, 1.88244570119, 1.91024021206 },
    },
    gradients = {
      { { 6, 2, 4 }, 0.117513091422, 0.0118057413605, -0.0590407452067, -0.101441397068, 0.00866476174515, 0.00183451842081 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { 2, 3, 2, 3, 3 }, torch.LongTensor { 6, 4 }, torch.LongTensor { 3, 2 }, { reduction = 'mean' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { {  }, 1.87227735074, 1.89992172483 },
    },
    gradients = {
      { { 6, 2, 4 }, 0.317587767662, 0.0118057413605, -0.0590407452067, -0.101441397068, 0.00866476174515, 0 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { 2, 3, 2, 3, 3 }, torch.LongTensor { 6, 6 }, torch.LongTensor { 3, 2 }, { reduction = 'sum' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { {  }, 9.24227080263, 9.37873391344 },
    },
    gradients = {
      { { 6, 2, 4 }, 0.82750503166, 0.0708344481631, -0.35424447124, -0.608648382409, 0.0519885704709, 0.00733807368326 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { 2, 3, 2, 3, 3 }, torch.LongTensor { 6, 4 }, torch.LongTensor { 3, 2 }, { reduction = 'sum' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { {  }, 9.20159740082, 9.33745996453 },
    },
    gradients = {
      { { 6, 2, 4 }, 1.62780373662, 0.0708344481631, -0.35424447124, -0.608648382409, 0.0519885704709, 0 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { 2, 3, 2, 3, 3 }, torch.LongTensor { 6, 6 }, torch.LongTensor { 3, 2 }, { reduction = 'none' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { { 2 }, 8.24363545961, 5.21331919559, 4.16541471784 },
    },
    gradients = {
      { { 6, 2, 4 }, 0.967668127076, 0.0708344481631, -0.35424447124, -0.608648382409, 0.0519885704709, 0.00313748286505 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { 2, 3, 2, 3, 3 }, torch.LongTensor { 6, 4 }, torch.LongTensor { 3, 2 }, { reduction = 'none' })]=],
    inputs = { { 6, 2, 4 } },
    results = {
      { { 2 }, 8.21285726079, 5.21331919559, 4.12414076894 },
    },
    gradients = {
      { { 6, 2, 4 }, 1.30984559518, 0.0708344481631, -0.35424447124, -0.608648382409, 0.0519885704709, 0 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 2 }, { 3, 2 } }, { 2, 2 }, { 2, 2 }, 1, 'none', false)]=],
    inputs = { { 2, 2, 4 } },
    gradient = false,
    results = {
      { { 2 }, math.huge, math.huge, 4.5285689903 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 2 }, { 3, 2 } }, { 2, 2 }, { 2, 2 }, 1, 'none', true)]=],
    inputs = { { 2, 2, 4 } },
    gradient = true,
    results = {
      { { 2 }, 3.37697749977, 0, 4.5285689903 },
    },
    gradients = {
      { { 2, 2, 4 }, -0.276957261968, 0, 0, -0.383761724409, 0, 0.0127535993026 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 2), torch.LongTensor { 2, 4 }, 5, 2, { blank = 3 })]=],
    inputs = { { 5, 4 } },
    results = {
      { {  }, 1.25750187276, 1.27606902158 },
    },
    gradients = {
      { { 5, 4 }, 0.00141445303212, 0.355907460318, 0.177496678334, 0.0376844243016, 0.0149143207206, 0.0346412791077 },
    },
  },
  {
    call = [=[F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 4 }, { 1, 1 } }, { 5, 4 }, { 2, 0 }, { blank = 3 })]=],
    inputs = { { 5, 2, 4 } },
    results = {
      { {  }, 4.93351436693, 5.00635823096 },
    },
    gradients = {
      { { 5, 2, 4 }, -0.686158282001, 0.177953730159, 0.0188422121508, 0.0173206395538, 0.1706650493, 0.0141194904376 },
    },
  },
  {
    call = [=[m(F.logSoftmax(x1, 3), { torch.LongTensor { 2, 3, 4 }, { 6, 5 }, { 1, 2 } })]=],
    module = [=[nn.CTCLoss()]=],
    inputs = { { 6, 2, 4 } },
    protocol = false,
    results = {
      { {  }, 4.63041861218, 4.69878723518 },
    },
    gradients = {
      { { 6, 2, 4 }, 0.387918932576, -0.0793374996254, -0.0943971526801, 0.0903550220788, 0.0259942852355, -0.00629406711299 },
    },
  },
  {
    call = [=[m(F.logSoftmax(x1, 3), { torch.LongTensor { { 2 }, { 3 } }, { 6, 5 }, { 1, 1 } })]=],
    module = [=[nn.CTCLoss { reduction = 'sum', zeroInfinity = true }]=],
    inputs = { { 6, 2, 4 } },
    protocol = false,
    results = {
      { {  }, 13.0398946279, 13.2324300582 },
    },
    gradients = {
      { { 6, 2, 4 }, 0.733061354084, -0.158674999251, -0.18879430536, 0.180710044158, 0.0519885704709, -0.340214503831 },
    },
  },
}
