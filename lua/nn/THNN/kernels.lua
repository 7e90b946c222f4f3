--- Torch7's kernels: names and orders of arguments.
-- @module nn.THNN.kernels
return [[
Abs_updateOutput input output
Abs_updateGradInput input gradOutput gradInput
AbsCriterion_updateOutput input target output sizeAverage
AbsCriterion_updateGradInput input target gradInput sizeAverage
BCECriterion_updateOutput input target output sizeAverage weights
BCECriterion_updateGradInput input target gradInput sizeAverage weights
ClassNLLCriterion_updateOutput input target output sizeAverage weights total_weight ignore_index
ClassNLLCriterion_updateGradInput input target gradInput sizeAverage weights total_weight ignore_index
SpatialClassNLLCriterion_updateOutput input target output sizeAverage weights total_weight
SpatialClassNLLCriterion_updateGradInput input target gradInput sizeAverage weights total_weight
ELU_updateOutput input output alpha inplace
ELU_updateGradInput input gradOutput gradInput output alpha inplace
DistKLDivCriterion_updateOutput input target output sizeAverage
DistKLDivCriterion_updateGradInput input target gradInput sizeAverage
GatedLinear_updateOutput input output dim
GatedLinear_updateGradInput input gradOutput gradInput dim
HardShrink_updateOutput input output lambda
HardShrink_updateGradInput input gradOutput gradInput lambda
HardTanh_updateOutput input output min_val max_val inplace
HardTanh_updateGradInput input gradOutput gradInput min_val max_val inplace
L1Cost_updateOutput input output
L1Cost_updateGradInput input gradOutput gradInput
LeakyReLU_updateOutput input output negval inplace
LeakyReLU_updateGradInput input gradOutput gradInput negval inplace
GRUFused_updateOutput input hidden bias1 bias2 hx output storage
GRUFused_updateGradInput gradInInput gradInHidden gradOutput gradInputHx storage
LSTMFused_updateOutput input hidden bias1 bias2 cell output outputCell
LSTMFused_updateGradInput storage gradInGates cx cy gradOutput gradOutputCell gradInputCx
LogSigmoid_updateOutput input output buffer
LogSigmoid_updateGradInput input gradOutput gradInput buffer
LogSoftMax_updateOutput input output
LogSoftMax_updateGradInput input gradOutput gradInput output
LookupTable_accGradParameters input gradOutput gradWeight count sorted indices scaleGradByFreq paddingValue scale
LookupTable_renorm idx weight maxNorm normType
MarginCriterion_updateOutput input target output sizeAverage margin
MarginCriterion_updateGradInput input target gradInput sizeAverage margin
SoftMarginCriterion_updateOutput input target output sizeAverage
SoftMarginCriterion_updateGradInput input target gradInput sizeAverage
MSECriterion_updateOutput input target output sizeAverage
MSECriterion_updateGradInput input target gradInput sizeAverage
MultiLabelMarginCriterion_updateOutput input target output isTarget sizeAverage
MultiLabelMarginCriterion_updateGradInput input target gradInput isTarget sizeAverage
MultiMarginCriterion_updateOutput input target output sizeAverage p weights margin
MultiMarginCriterion_updateGradInput input target gradInput sizeAverage p weights margin
PReLU_updateOutput input output weight nOutputPlane
PReLU_updateGradInput input gradOutput gradInput weight nOutputPlane
PReLU_accGradParameters input gradOutput gradInput weight gradWeight gradWeightBuf gradWeightBuf2 nOutputPlane scale
Linear_updateOutput input output weight bias addBuffer
Linear_updateGradInput input gradOutput gradInput weight
Linear_accGradParameters input gradOutput gradInput weight bias gradWeight gradBias addBuffer scale
RReLU_updateOutput input output noise lower upper train inplace generator
RReLU_updateGradInput input gradOutput gradInput noise lower upper train inplace
Sigmoid_updateOutput input output
Sigmoid_updateGradInput input gradOutput gradInput output
SmoothL1Criterion_updateOutput input target output sizeAverage
SmoothL1Criterion_updateGradInput input target gradInput sizeAverage
SoftMax_updateOutput input output
SoftMax_updateGradInput input gradOutput gradInput output
SoftPlus_updateOutput input output beta threshold
SoftPlus_updateGradInput input gradOutput gradInput output beta threshold
SoftShrink_updateOutput input output lambda
SoftShrink_updateGradInput input gradOutput gradInput lambda
Sqrt_updateOutput input output eps
Sqrt_updateGradInput input gradOutput gradInput output
Square_updateOutput input output
Square_updateGradInput input gradOutput gradInput
Tanh_updateOutput input output
Tanh_updateGradInput input gradOutput gradInput output
Threshold_updateOutput input output threshold val inplace
Threshold_updateGradInput input gradOutput gradInput threshold val inplace
TemporalConvolution_updateOutput input output weight bias kW dW inputFrameSize outputFrameSize
TemporalConvolution_updateGradInput input gradOutput gradInput weight kW dW
TemporalConvolution_accGradParameters input gradOutput gradWeight gradBias kW dW scale
TemporalMaxPooling_updateOutput input output indices kW dW
TemporalMaxPooling_updateGradInput input gradOutput gradInput indices kW dW
TemporalSubSampling_updateOutput input output weight bias kW dW inputFrameSize
TemporalSubSampling_updateGradInput input gradOutput gradInput weight kW dW
TemporalSubSampling_accGradParameters input gradOutput gradWeight gradBias kW dW scale
TemporalRowConvolution_updateOutput input output weight bias finput fgradInput kW dW padW featFirst
TemporalRowConvolution_updateGradInput input gradOutput gradInput weight finput fgradInput kW dW padW featFirst
TemporalRowConvolution_accGradParameters input gradOutput gradWeight gradBias finput fgradInput kW dW padW featFirst scale
BatchNormalization_updateOutput input output weight bias running_mean running_var save_mean save_std train momentum eps
BatchNormalization_backward input gradOutput gradInput gradWeight gradBias weight running_mean running_var save_mean save_std train scale
  eps
SpatialConvolutionMap_updateOutput input output weight bias connTable nInputPlane nOutputPlane dW dH
SpatialConvolutionMap_updateGradInput input gradOutput gradInput weight bias connTable nInputPlane nOutputPlane dW dH
SpatialConvolutionMap_accGradParameters input gradOutput gradWeight gradBias connTable nInputPlane nOutputPlane dW dH scale
SpatialConvolutionMM_updateOutput input output weight bias finput fgradInput kW kH dW dH padW padH
SpatialConvolutionMM_updateGradInput input gradOutput gradInput weight finput fgradInput kW kH dW dH padW padH
SpatialConvolutionMM_accGradParameters input gradOutput gradWeight gradBias finput fgradInput kW kH dW dH padW padH scale
SpatialDepthWiseConvolution_updateOutput input output weight bias finput fgradInput kW kH dW dH padW padH
SpatialDepthWiseConvolution_updateGradInput input gradOutput gradInput weight finput fgradInput kW kH dW dH padW padH
SpatialDepthWiseConvolution_accGradParameters input gradOutput gradWeight gradBias finput fgradInput kW kH dW dH padW padH scale
SpatialConvolutionLocal_updateOutput input output weight bias finput fgradInput kW kH dW dH padW padH inputWidth inputHeight outputWidth
  outputHeight
SpatialConvolutionLocal_updateGradInput input gradOutput gradInput weight finput fgradInput kW kH dW dH padW padH inputWidth inputHeight
  outputWidth outputHeight
SpatialConvolutionLocal_accGradParameters input gradOutput gradWeight gradBias finput fgradInput kW kH dW dH padW padH inputWidth
  inputHeight outputWidth outputHeight scale
SpatialAdaptiveMaxPooling_updateOutput input output indices owidth oheight
SpatialAdaptiveMaxPooling_updateGradInput input gradOutput gradInput indices
SpatialAdaptiveAveragePooling_updateOutput input output owidth oheight
SpatialAdaptiveAveragePooling_updateGradInput input gradOutput gradInput
SpatialAveragePooling_updateOutput input output kW kH dW dH padW padH ceil_mode count_include_pad
SpatialAveragePooling_updateGradInput input gradOutput gradInput kW kH dW dH padW padH ceil_mode count_include_pad
SpatialFractionalMaxPooling_updateOutput input output outputW outputH poolSizeW poolSizeH indices randomSamples
SpatialFractionalMaxPooling_updateGradInput input gradOutput gradInput outputW outputH poolSizeW poolSizeH indices
SpatialFullConvolution_updateOutput input output weight bias columns ones kW kH dW dH padW padH adjW adjH
SpatialFullConvolution_updateGradInput input gradOutput gradInput weight gradColumns kW kH dW dH padW padH adjW adjH
SpatialFullConvolution_accGradParameters input gradOutput gradWeight gradBias columns ones kW kH dW dH padW padH adjW adjH scale
SpatialFullConvolutionMap_updateOutput input output weight bias connTable nInputPlane nOutputPlane dW dH
SpatialFullConvolutionMap_updateGradInput input gradOutput gradInput weight bias connTable nInputPlane nOutputPlane dW dH
SpatialFullConvolutionMap_accGradParameters input gradOutput gradWeight gradBias connTable nInputPlane nOutputPlane dW dH scale
SpatialDilatedConvolution_updateOutput input output weight bias columns ones kW kH dW dH padW padH dilationW dilationH
SpatialDilatedConvolution_updateGradInput input gradOutput gradInput weight gradColumns kW kH dW dH padW padH dilationW dilationH
SpatialDilatedConvolution_accGradParameters input gradOutput gradWeight gradBias columns ones kW kH dW dH padW padH dilationW dilationH
  scale
SpatialMaxPooling_updateOutput input output indices kW kH dW dH padW padH ceil_mode
SpatialMaxPooling_updateGradInput input gradOutput gradInput indices kW kH dW dH padW padH ceil_mode
SpatialDilatedMaxPooling_updateOutput input output indices kW kH dW dH padW padH dilationW dilationH ceil_mode
SpatialDilatedMaxPooling_updateGradInput input gradOutput gradInput indices kW kH dW dH padW padH dilationW dilationH ceil_mode
SpatialMaxUnpooling_updateOutput input output indices owidth oheight
SpatialMaxUnpooling_updateGradInput input gradOutput gradInput indices owidth oheight
SpatialSubSampling_updateOutput input output weight bias kW kH dW dH
SpatialSubSampling_updateGradInput input gradOutput gradInput weight kW kH dW dH
SpatialSubSampling_accGradParameters input gradOutput gradWeight gradBias kW kH dW dH scale
SpatialUpSamplingNearest_updateOutput input output scale_factor
SpatialUpSamplingNearest_updateGradInput input gradOutput gradInput scale_factor
SpatialUpSamplingBilinear_updateOutput input output outputHeight outputWidth
SpatialUpSamplingBilinear_updateGradInput gradOutput gradInput nbatch nchannels inputHeight inputWidth outputHeight outputWidth
VolumetricAveragePooling_updateOutput input output kT kW kH dT dW dH padT padW padH ceil_mode count_include_pad
VolumetricAveragePooling_updateGradInput input gradOutput gradInput kT kW kH dT dW dH padT padW padH ceil_mode count_include_pad
VolumetricConvolution_updateOutput input output weight bias finput fgradInput dT dW dH pT pW pH
VolumetricConvolution_updateGradInput input gradOutput gradInput weight finput dT dW dH pT pW pH
VolumetricConvolution_accGradParameters input gradOutput gradWeight gradBias finput fgradInput dT dW dH pT pW pH scale
VolumetricConvolutionMM_updateOutput input output weight bias finput kT kW kH dT dW dH pT pW pH
VolumetricConvolutionMM_updateGradInput input gradOutput gradInput weight finput fgradInput kT kW kH dT dW dH pT pW pH
VolumetricConvolutionMM_accGradParameters input gradOutput gradWeight gradBias finput kT kW kH dT dW dH pT pW pH scale
VolumetricFractionalMaxPooling_updateOutput input output outputT outputW outputH poolSizeT poolSizeW poolSizeH indices randomSamples
VolumetricFractionalMaxPooling_updateGradInput input gradOutput gradInput outputT outputW outputH poolSizeT poolSizeW poolSizeH indices
VolumetricFullConvolution_updateOutput input output weight bias finput fgradInput dT dW dH pT pW pH aT aW aH
VolumetricFullConvolution_updateGradInput input gradOutput gradInput weight finput fgradInput dT dW dH pT pW pH aT aW aH
VolumetricFullConvolution_accGradParameters input gradOutput gradWeight gradBias finput fgradInput dT dW dH pT pW pH aT aW aH scale
VolumetricDilatedConvolution_updateOutput input output weight bias columns ones kT kW kH dT dW dH padT padW padH dilationT dilationW
  dilationH
VolumetricDilatedConvolution_updateGradInput input gradOutput gradInput weight gradColumns kT kW kH dT dW dH padT padW padH dilationT
  dilationW dilationH
VolumetricDilatedConvolution_accGradParameters input gradOutput gradWeight gradBias columns ones kT kW kH dT dW dH padT padW padH
  dilationT dilationW dilationH scale
VolumetricMaxPooling_updateOutput input output indices kT kW kH dT dW dH pT pW pH ceilMode
VolumetricMaxPooling_updateGradInput input gradOutput gradInput indices kT kW kH dT dW dH pT pW pH ceilMode
VolumetricDilatedMaxPooling_updateOutput input output indices kT kW kH dT dW dH pT pW pH dilationT dilationW dilationH ceilMode
VolumetricDilatedMaxPooling_updateGradInput input gradOutput gradInput indices kT kW kH dT dW dH pT pW pH dilationT dilationW dilationH
  ceilMode
VolumetricMaxUnpooling_updateOutput input output indices oT oW oH dT dW dH pT pW pH
VolumetricMaxUnpooling_updateGradInput input gradOutput gradInput indices oT oW oH dT dW dH pT pW pH
SpatialReflectionPadding_updateOutput input output pad_l pad_r pad_t pad_b
SpatialReflectionPadding_updateGradInput input gradOutput gradInput pad_l pad_r pad_t pad_b
SpatialReplicationPadding_updateOutput input output pad_l pad_r pad_t pad_b
SpatialReplicationPadding_updateGradInput input gradOutput gradInput pad_l pad_r pad_t pad_b
FeatureLPPooling_updateOutput input output power width stride batchMode
FeatureLPPooling_updateGradInput gradOutput input output gradInput power width stride batchMode
VolumetricReplicationPadding_updateOutput input output pleft pright ptop pbottom pfront pback
VolumetricReplicationPadding_updateGradInput input gradOutput gradInput pleft pright ptop pbottom pfront pback
VolumetricUpSamplingNearest_updateOutput input output scale_factor
VolumetricUpSamplingNearest_updateGradInput input gradOutput gradInput scale_factor
VolumetricUpSamplingTrilinear_updateOutput input output outputDepth outputHeight outputWidth
VolumetricUpSamplingTrilinear_updateGradInput gradOutput gradInput nbatch nchannels inputDepth inputHeight inputWidth outputDepth
  outputHeight outputWidth
SparseLinear_updateOutput input output weight bias
SparseLinear_accGradParameters input gradOutput gradWeight gradBias weight bias weightDecay scale
SparseLinear_zeroGradParameters gradWeight gradBias lastInput
SparseLinear_updateParameters weight bias gradWeight gradBias lastInput learningRate
SparseLinear_legacyUpdateOutput input output weight bias
SparseLinear_legacyAccGradParameters input gradOutput gradWeight gradBias weight bias weightDecay scale
SparseLinear_legacyZeroGradParameters gradWeight gradBias lastInput
SparseLinear_legacyUpdateParameters weight bias gradWeight gradBias lastInput learningRate
SpatialFullDilatedConvolution_updateOutput input output weight bias columns ones kW kH dW dH padW padH dilationW dilationH adjW adjH
SpatialFullDilatedConvolution_updateGradInput input gradOutput gradInput weight gradColumns kW kH dW dH padW padH dilationW dilationH adjW
  adjH
SpatialFullDilatedConvolution_accGradParameters input gradOutput gradWeight gradBias columns ones kW kH dW dH padW padH dilationW
  dilationH adjW adjH scale
unfolded_acc finput input kW kH dW dH padW padH nInputPlane inputWidth inputHeight outputWidth outputHeight
unfolded_copy finput input kW kH dW dH padW padH nInputPlane inputWidth inputHeight outputWidth outputHeight
IndexLinear_updateOutput keys keysOffset values sizes cumSumSizes output weight bias normalizedValues train
IndexLinear_accGradParameters keys keysOffset values sizes cumSumSizes gradOutput gradWeight gradBias weight bias valuesBuffer weightDecay
  scale
IndexLinear_accUpdateGradParameters keys keysOffset values sizes cumSumSizes gradOutput weight bias weightDecay scale
IndexLinear_updateParameters gradWeight gradBias weight bias runningKeys cumSumSizes keysOffset weightDecay learningRate
VolumetricFullDilatedConvolution_updateOutput input output weight bias finput fgradInput dT dW dH pT pW pH dilationT dilationW dilationH
  aT aW aH
VolumetricFullDilatedConvolution_updateGradInput input gradOutput gradInput weight finput fgradInput dT dW dH pT pW pH dilationT dilationW
  dilationH aT aW aH
VolumetricFullDilatedConvolution_accGradParameters input gradOutput gradWeight gradBias finput fgradInput dT dW dH pT pW pH dilationT
  dilationW dilationH aT aW aH scale
SpatialGridSamplerBilinear_updateOutput input grid output
SpatialGridSamplerBilinear_updateGradInput input gradInput grid gradGrid gradOutput
]]
