-- The rocks: what each holds and needs.
--
-- `lua`: the folders of lua/ that are the rock's own. What th gives every program comes with torch, so that rock has their files: those
-- named like the others are there for who depends on them. `native`: it has a library of its own, of the sources in packages/NAME.
return {
  { name = 'torch', lua = 'torch paths sys xlua trepl', summary = 'Tensors for LuaJIT, and the program th' },
  { name = 'autograd', lua = 'autograd', needs = { 'torch' }, summary = 'Automatic differentiation of tensors' },
  { name = 'nn', lua = 'nn', needs = { 'torch', 'autograd' }, summary = 'Neural networks' },
  { name = 'optim', lua = 'optim', needs = { 'torch', 'autograd' }, summary = 'Optimisers, confusion matrices and logs' },
  { name = 'tds', lua = 'tds', needs = { 'torch' }, summary = "Containers outside Lua's heap" },
  { name = 'threads', lua = 'threads', needs = { 'torch' }, summary = 'Pools of threads, each with a Lua state of its own' },
  { name = 'data', lua = 'data', needs = { 'torch', 'tds', 'threads' }, summary = 'Data sets, loaders and readers of files' },
  { name = 'gnuplot', lua = 'gnuplot', needs = { 'torch' }, summary = 'Plots by the program gnuplot' },
  { name = 'mnist', lua = 'mnist', needs = { 'data' }, summary = 'The handwritten digits of MNIST, from files that are here' },
  { name = 'csvigo', lua = 'csvigo', needs = { 'torch' }, summary = 'Tables of text as lists of strings: CSV and its relatives' },
  { name = 'dok', lua = 'dok cwrap', needs = { 'torch' }, summary = 'Help in the terminal, and descriptions of arguments' },
  { name = 'cwrap', needs = { 'dok' }, summary = 'A name that programs load; a part of dok' },
  { name = 'graph', lua = 'graph', needs = { 'torch' }, summary = 'Directed graphs, and their pictures by Graphviz' },
  { name = 'nngraph', lua = 'nngraph', needs = { 'nn', 'graph' }, summary = 'Neural networks as graphs of nodes' },
  { name = 'argcheck', lua = 'argcheck', needs = { 'torch' }, summary = 'Checks of arguments: positional and named calls' },
  { name = 'torchnet', lua = 'torchnet tnt', needs = { 'data', 'argcheck', 'nn', 'optim' }, summary = 'Data sets, engines, meters, logs' },
  { name = 'cutorch', lua = 'cutorch', needs = { 'torch' }, plugIn = true, summary = 'Tensors on CUDA: the plug-in, and its interface' },
  { name = 'cunn', lua = 'cunn', needs = { 'cutorch', 'nn' }, summary = 'Neural networks on CUDA, on several devices' },
  { name = 'cudnn', lua = 'cudnn', needs = { 'cutorch', 'nn' }, summary = "Modules by cuDNN's names" },
  { name = 'hdf5', lua = 'hdf5', needs = { 'torch' }, summary = 'HDF5 files on libhdf5' },
  { name = 'image', lua = 'image', needs = { 'torch' }, native = true, summary = 'Pictures: files, transforms, drawing' },
  { name = 'signal', lua = 'signal', needs = { 'torch', 'autograd' }, summary = 'Fourier transforms, spectrograms, filters' },
  { name = 'unsup', lua = 'unsup', needs = { 'nn', 'optim' }, summary = 'Learning without labels: k-means, PCA, sparse codes' },
  { name = 'audio', lua = 'audio', needs = { 'torch', 'signal', 'data' }, summary = 'Sound files and spectrograms' },
  { name = 'paths', needs = { 'torch' }, summary = 'Files, folders and their names; a part of torch' },
  { name = 'sys', needs = { 'torch' }, summary = 'Clock, shell and colours; a part of torch' },
  { name = 'xlua', needs = { 'torch' }, summary = 'Progress bar and option parser; a part of torch' },
  { name = 'trepl', needs = { 'torch' }, summary = 'The interactive loop of th; a part of torch' },
}
