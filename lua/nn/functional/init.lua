--- Layers and losses as functions, for programs on the tape: `nn.functional`. The files of this folder have them by theme.
-- Arguments have PyTorch's order and meaning, and may be passed by name in a table at the end.
-- @module nn.functional
local torch = require 'torch'

local functional = { linear = torch.linear }

require 'torch.start.lazy_loader'(functional, [[
  nn.functional.losses: mseLoss l1Loss smoothL1Loss huberLoss binaryCrossEntropyWithLogits bceWithLogits binaryCrossEntropy bceLoss klDiv
  nn.functional.losses: poissonNllLoss hingeEmbeddingLoss softMarginLoss sigmoidFocalLoss
  nn.functional.class_losses: nllLoss crossEntropy linearCrossEntropy multiMarginLoss multilabelMarginLoss multilabelSoftMarginLoss
  nn.functional.ctc: ctcLoss
  nn.functional.margin_losses: marginRankingLoss cosineEmbeddingLoss gaussianNllLoss tripletMarginLoss tripletMarginWithDistanceLoss
  nn.functional.activations: relu relu6 elu celu selu leakyRelu threshold hardtanh hardsigmoid hardswish silu mish rrelu
  nn.functional.activations: relu_ relu6_ elu_ celu_ selu_ leakyRelu_ threshold_ hardtanh_ hardsigmoid_ hardswish_ silu_ mish_ rrelu_
  nn.functional.activations: hardshrink softshrink tanhshrink softsign softplus logsigmoid sigmoid tanh gelu glu prelu
  nn.functional.activations: softmax logSoftmax softmin gumbelSoftmax
  nn.functional.attention: scaledDotProductAttention multiHeadAttentionForward rotaryEmbedding
  nn.functional.normalization: batchNorm instanceNorm groupNorm layerNorm rmsNorm normalize
  nn.functional.dropout: dropout dropout1d dropout2d dropout3d alphaDropout featureAlphaDropout
  nn.functional.distances: cosineSimilarity pairwiseDistance pdist bilinear
  nn.functional.embeddings: embedding embeddingBag oneHot
  nn.functional.convolution: conv1d conv2d conv3d convTranspose1d convTranspose2d convTranspose3d
  nn.functional.pooling: maxPool1d maxPool2d maxPool3d avgPool1d avgPool2d avgPool3d
  nn.functional.pooling: lpPool1d lpPool2d lpPool3d adaptiveAvgPool1d adaptiveAvgPool2d adaptiveAvgPool3d
  nn.functional.pooling: adaptiveMaxPool1d adaptiveMaxPool2d adaptiveMaxPool3d maxUnpool1d maxUnpool2d maxUnpool3d
  nn.functional.pooling: fractionalMaxPool2d fractionalMaxPool3d
  nn.functional.padding: pad
  nn.functional.resampling: interpolate upsample gridSample affineGrid
  nn.functional.rearranging: pixelShuffle pixelUnshuffle channelShuffle unfold fold localResponseNorm
]])

return functional
