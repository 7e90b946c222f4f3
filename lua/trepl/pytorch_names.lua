--- PyTorch's names without an equivalent, and the reasons, for hints about names that no package has.
-- @module trepl.pytorch_names

-- Pairs of a reason and the names.
local absent = {
  { 'there is no such special function; torch has lgamma, digamma, trigamma, polygamma, erf, erfc, erfinv, mvlgamma, sinc, xlogy', [[
    airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v
    chebyshev_polynomial_w expit gammainc gammaincc hermite_polynomial_h hermite_polynomial_he i0 i0_ i0e i1 i1e igamma igamma_ igammac
    igammac_ laguerre_polynomial_l legendre_polynomial_p log_ndtr modified_bessel_i0 modified_bessel_i1 modified_bessel_k0
    modified_bessel_k1 ndtr ndtri scaled_modified_bessel_k0 scaled_modified_bessel_k1 shifted_chebyshev_polynomial_t
    shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w spherical_bessel_j0 zeta erfcx entr
    xlog1py nextafter nextafter_ ]] },
  { 'torch has no such decomposition; torch.solve, lstsq, svd, symeig, eig, qr, lu, cholesky and inverse are there', [[
    cholesky_ex householder_product inv_ex ldl_factor ldl_factor_ex ldl_solve lu_factor lu_factor_ex lu_solve lu_unpack matrix_sqrth
    solve_ex solve_triangular svdvals tensorinv tensorsolve vector_norm lobpcg ]] },
  { "require 'signal' has fft, ifft, rfft, irfft, fft2, ifft2: one or two dimensions at a time", 'fftn hfft ifftn ihfft irfftn rfftn' },
  { 'autograd.hessian, jacobian, hvp, vjp, jvp and vmap are there; functions are plain Lua functions of tensors', [[
    gradgradcheck vhp functional_call grad_and_value jacfwd jacrev linearize replace_all_batch_norm_modules_ stack_module_state ]] },
  { 'torch.noGrad(f) runs a function without recording', 'inference_mode detect_anomaly' },
  { 'the tape shows its state by x:isTracked() and x:isLeaf(); hooks are x:registerHook(f)', [[
    grad_fn retains_grad register_post_accumulate_grad_hook ]] },
  { 'x:device() is the name of its device', 'is_cpu is_meta is_pinned Event Stream' },
  { 'there is no pruning: multiply the weights by a mask, inside torch.noGrad', [[ remove
    BasePruningMethod CustomFromMask L1Unstructured LnStructured PruningContainer RandomStructured RandomUnstructured custom_from_mask
    global_unstructured is_pruned l1_unstructured ln_structured random_structured random_unstructured ]] },
  { 'there are no parametrisations of weights; nn.LinearWeightNorm has weight normalisation', [[
    ParametrizationList cached is_parametrized register_parametrization remove_parametrizations transfer_parametrizations_and_params
    type_before_parametrizations spectral_norm remove_spectral_norm remove_weight_norm ]] },
  { 'modules are kept in a table, and parameters declared by self:declare(name, x)', [[
    ModuleDict ParameterDict ParameterList BufferDict Buffer RNNBase RNNCellBase skip_init ]] },
  { 'set config.learningRate between steps: optim.Adam, optim.sgd, ... read their table of options at each of them', [[
    ChainedScheduler ConstantLR CosineAnnealingWarmRestarts CyclicLR LRScheduler LinearLR MultiStepLR MultiplicativeLR PolynomialLR
    SequentialLR ]] },
  { 'optim has no such optimiser; it has Adam, AdamW, SGD, RMSprop, Adagrad, Adadelta, Adamax, Rprop, lbfgs, cg, ...', [[
    Adafactor Muon NAdam Optimizer RAdam ]] },
  { 'nn has no such module', [[
    AdaptiveLogSoftmaxWithLoss AlphaDropout CELU CTCLoss
    Dropout1d Dropout3d EmbeddingBag FeatureAlphaDropout
    GaussianNLLLoss Hardsigmoid Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LinearCrossEntropyLoss
    Mish NLLLoss2d PoissonNLLLoss
    SELU Softmax2d SyncBatchNorm Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TripletMarginLoss
    TripletMarginWithDistanceLoss ]] },
  { 'nn.functional has no such function; modules of nn compute by net:forward(x)', [[
    alpha_dropout alpha_dropout_ ctc_loss dropout1d dropout3d elu_ embedding_bag feature_alpha_dropout
    feature_dropout gaussian_nll_loss gumbel_softmax hardsigmoid hardswish
    instance_norm leaky_relu_ linear_cross_entropy
    mish multi_head_attention_forward multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss
    poisson_nll_loss soft_margin_loss triplet_margin_loss triplet_margin_with_distance_loss unpack_sequence unpad_sequence
    calculate_gain dirac_ clip_grads_with_norm_ fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights
    get_total_norm parameters_to_vector vector_to_parameters ]] },
  { 'the draws of torch are uniform, normal, exponential, cauchy, logNormal, geometric, bernoulli, multinomial', 'binomial poisson' },
  { 'products of floats have the precision of their type', 'get_float32_matmul_precision set_float32_matmul_precision' },
  { 'there are no quantised tensors', 'choose_qparams_optimized' },
}

local reasons = {}
for _, group in ipairs(absent) do
  for name in group[2]:gmatch '%S+' do reasons[name] = group[1] end
end

return reasons
