--- The messages of Caffe's networks: names, numbers and types of their fields.
-- Source: caffe.proto of Caffe 1.0 (src/caffe/proto/caffe.proto), without the fields that only training and data layers have.
-- @module loadcaffe.schema

-- `*` marks repeated fields; `floats` and `doubles` are arrays that stay in the file; other types are other messages or
-- enumerations. The last four fields of a BlobProto are of files from before `shape`.
local text = [[
NetParameter: name=1 string, layers=2 V1LayerParameter*, input=3 string*, input_dim=4 int*, input_shape=8 BlobShape*, layer=100
  LayerParameter*
LayerParameter: name=1 string, type=2 string, bottom=3 string*, top=4 string*, blobs=7 BlobProto*, include=8 NetStateRule*,
  concat_param=104 ConcatParameter, convolution_param=106 ConvolutionParameter, dropout_param=108 DropoutParameter, eltwise_param=110
  EltwiseParameter, exp_param=111 ExpParameter, inner_product_param=117 InnerProductParameter, lrn_param=118 LRNParameter,
  pooling_param=121 PoolingParameter, power_param=122 PowerParameter, relu_param=123 ReLUParameter, softmax_param=125 SoftmaxParameter,
  prelu_param=131 PReLUParameter, log_param=134 ExpParameter, flatten_param=135 FlattenParameter, batch_norm_param=139
  BatchNormParameter, elu_param=140 ELUParameter, bias_param=141 BiasParameter, scale_param=142 ScaleParameter
V1LayerParameter: layer=1 V0LayerParameter, bottom=2 string*, top=3 string*, name=4 string, type=5 V1LayerType, blobs=6 BlobProto*,
  concat_param=9 ConcatParameter, convolution_param=10 ConvolutionParameter, dropout_param=12 DropoutParameter, inner_product_param=17
  InnerProductParameter, lrn_param=18 LRNParameter, pooling_param=19 PoolingParameter, power_param=21 PowerParameter, eltwise_param=24
  EltwiseParameter, relu_param=30 ReLUParameter, include=32 NetStateRule*, softmax_param=39 SoftmaxParameter, exp_param=40 ExpParameter
V0LayerParameter: name=1 string
NetStateRule: phase=1 Phase
BlobShape: dim=1 int*
BlobProto: num=1 int, channels=2 int, height=3 int, width=4 int, data=5 floats, shape=7 BlobShape, double_data=8 doubles
ConvolutionParameter: num_output=1 int, bias_term=2 bool, pad=3 int*, kernel_size=4 int*, group=5 int, stride=6 int*, pad_h=9 int,
  pad_w=10 int, kernel_h=11 int, kernel_w=12 int, stride_h=13 int, stride_w=14 int, axis=16 int, dilation=18 int*
PoolingParameter: pool=1 PoolMethod, kernel_size=2 int, stride=3 int, pad=4 int, kernel_h=5 int, kernel_w=6 int, stride_h=7 int,
  stride_w=8 int, pad_h=9 int, pad_w=10 int, global_pooling=12 bool, round_mode=13 RoundMode
InnerProductParameter: num_output=1 int, bias_term=2 bool, axis=5 int, transpose=6 bool
LRNParameter: local_size=1 int, alpha=2 float, beta=3 float, norm_region=4 NormRegion, k=5 float
DropoutParameter: dropout_ratio=1 float
ReLUParameter: negative_slope=1 float
PReLUParameter: channel_shared=2 bool
ELUParameter: alpha=1 float
PowerParameter: power=1 float, scale=2 float, shift=3 float
ExpParameter: base=1 float, scale=2 float, shift=3 float
EltwiseParameter: operation=1 EltwiseOp, coeff=2 float*
ConcatParameter: concat_dim=1 int, axis=2 int
SoftmaxParameter: axis=2 int
BatchNormParameter: eps=3 float
ScaleParameter: axis=1 int, num_axes=2 int, bias_term=4 bool
BiasParameter: axis=1 int, num_axes=2 int
FlattenParameter: axis=1 int, end_axis=2 int
]]

-- Types of the old layers have the names of the new ones behind them.
local enumerations = [[
Phase: TRAIN=0, TEST=1
PoolMethod: MAX=0, AVE=1, STOCHASTIC=2
RoundMode: CEIL=0, FLOOR=1
NormRegion: ACROSS_CHANNELS=0, WITHIN_CHANNEL=1
EltwiseOp: PROD=0, SUM=1, MAX=2
V1LayerType: NONE=0, ACCURACY=1 Accuracy, BNLL=2 BNLL, CONCAT=3 Concat, CONVOLUTION=4 Convolution, DATA=5 Data, DROPOUT=6 Dropout,
  EUCLIDEAN_LOSS=7 EuclideanLoss, FLATTEN=8 Flatten, HDF5_DATA=9 HDF5Data, HDF5_OUTPUT=10 HDF5Output, IM2COL=11 Im2col, IMAGE_DATA=12
  ImageData, INFOGAIN_LOSS=13 InfogainLoss, INNER_PRODUCT=14 InnerProduct, LRN=15 LRN, MULTINOMIAL_LOGISTIC_LOSS=16
  MultinomialLogisticLoss, POOLING=17 Pooling, RELU=18 ReLU, SIGMOID=19 Sigmoid, SOFTMAX=20 Softmax, SOFTMAX_LOSS=21 SoftmaxWithLoss,
  SPLIT=22 Split, TANH=23 TanH, WINDOW_DATA=24 WindowData, ELTWISE=25 Eltwise, POWER=26 Power, SIGMOID_CROSS_ENTROPY_LOSS=27
  SigmoidCrossEntropyLoss, HINGE_LOSS=28 HingeLoss, MEMORY_DATA=29 MemoryData, ARGMAX=30 ArgMax, THRESHOLD=31 Threshold, DUMMY_DATA=32
  DummyData, SLICE=33 Slice, MVN=34 MVN, ABSVAL=35 AbsVal, SILENCE=36 Silence, CONTRASTIVE_LOSS=37 ContrastiveLoss, EXP=38 Exp,
  DECONVOLUTION=39 Deconvolution
]]

local schema = { messages = {}, enumerations = {} }

-- Entries that take several lines are indented.
local function entriesOf(lines) return lines:gsub('\n  ', ' '):gmatch '(%w+): ([^\n]+)' end

for name, entries in entriesOf(enumerations) do
  local names, numbers, modern = {}, {}, {}
  for value, number, now in (entries .. ','):gmatch '([%w_]+)=(%d+) ?(%w*),' do
    names[tonumber(number)], numbers[value] = value, tonumber(number)
    modern[value] = now ~= '' and now or nil
  end
  schema.enumerations[name] = { names = names, numbers = numbers, modern = modern }
end

for name, entries in entriesOf(text) do
  local byNumber, byName = {}, {}
  for field, number, kind, star in entries:gmatch '([%w_]+)=(%d+) (%w+)(%*?)' do
    local entry = { name = field, kind = kind, repeated = star ~= '' }
    byNumber[tonumber(number)], byName[field] = entry, entry
  end
  schema.messages[name] = { byNumber = byNumber, byName = byName }
end

return schema
