--- PyTorch's names without an equivalent, and the reasons, for hints about names that no package has.
-- @module trepl.pytorch_names

-- Pairs of a reason and the names.
local absent = {
  { 'there is no such special function; torch.special has 55 of them, such as gammainc, besselJ0 and ndtri', 'airy_ai' },
  { 'torch has no such function', 'nextafter_' },
  { 'autograd.hessian, jacobian, hvp, vjp, jvp and vmap are there; functions are plain Lua functions of tensors', [[
    gradgradcheck vhp functional_call grad_and_value jacfwd jacrev linearize replace_all_batch_norm_modules_ stack_module_state ]] },
  { 'torch.noGrad(f) runs a function without recording', 'inference_mode' },
  { 'the tape shows its state by x:isTracked() and x:isLeaf(); hooks are x:registerHook(f)', [[
    grad_fn retains_grad register_post_accumulate_grad_hook ]] },
  { 'x:device() is the name of its device', 'is_cpu is_meta is_pinned Event Stream' },
  { "buffers are fields: self:registerBuffer('name', x)", 'BufferDict' },
  { 'optim.schedule.lambda(optimizer, f) computes any rates; schedules are optim.Schedule', 'LRScheduler MultiplicativeLR' },
  { 'torch has no such function; nn.functional.dropout1d, dropout2d and dropout3d drop channels', 'feature_dropout' },
  { 'the draws of torch are uniform, normal, exponential, cauchy, logNormal, geometric, bernoulli, multinomial', 'binomial poisson' },
  { 'products of floats have the precision of their type', 'get_float32_matmul_precision set_float32_matmul_precision' },
  { 'there are no quantised tensors', 'choose_qparams_optimized' },
}

local reasons = {}
for _, group in ipairs(absent) do
  for name in group[2]:gmatch '%S+' do reasons[name] = group[1] end
end

return reasons
