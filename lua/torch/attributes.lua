--- Fields that arrays of NumPy and PyTorch have and tensors here have not: what each is here. Reading one is an error that says it, as nil
-- would go on silently.
-- @module torch.attributes
return {
  shape = '#x or x:size()', ndim = 'x:dim()', dtype = 'x:type()', T = 'x:t()', mT = 'x:transpose(-1, -2)', strides = 'x:stride()',
  itemsize = 'x:elementSize()', nbytes = 'x:nElement() * x:elementSize()', requires_grad = 'x:requiresGrad()', is_leaf = 'x:isLeaf()',
}
