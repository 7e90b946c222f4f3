--- The packages above torch: the only file of lua/torch that names their modules. It loads none of them.
-- `torch.start.names` and `torch.extensions` load a module of these lists when a program uses it. The package may not be installed, because
-- each is a separate rock.
-- @module torch.distribution
return {
  --- Functions of torch that these packages provide: lines for `torch.start.lazy_loader`.
  functions = [[
  autograd.core: noGrad enableGrad
  processes = threads.processes
  distributed = distributed
]],

  --- Methods of tensors that they provide, likewise.
  methods = [[
  autograd.core: requiresGrad backward isTracked isLeaf detach zeroGrad registerHook retainGrad
]],

  --- Extension point -> the module that registers its implementation (`torch.extensions`). Of the points without a module here, a package
  -- registers the implementation when the program loads the package.
  providers = {
    tape = 'autograd.core', graphTransforms = 'autograd.graph_transforms', fusedFunction = 'autograd.fused_function',
    controlDerivatives = 'autograd.control_flow', libraryRules = 'autograd.library_rules', sweeps = 'autograd.sweep',
    ['classes.autograd'] = 'autograd', ['classes.tds'] = 'tds', ['addresses.tds'] = 'tds',
  },

  --- Packages whose classes occur in files: C sessions load them before they read a file (`torch.file.class_packages`).
  classPackages = { 'nn', 'optim' },

  --- Packages that Torch7 never had: the program's `require` prefers a program's file of such a name (`torch.modules`).
  givesWay = {
    data = true, distributed = true, fits = true, hub = true, keras = true, netcdf = true, notebook = true, onnx = true, plot = true,
    quantize = true, text = true, trainer = true, vision = true, zoo = true,
  },
}
