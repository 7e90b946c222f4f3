# Writes networks of Caffe with the protobuf library, and what PyTorch computes of them by Caffe's rules, for loadcaffe_spec.lua:
# `python3 spec/loadcaffe/figures.py`. The field numbers are those of caffe.proto of Caffe 1.0. Versions: protobuf 7.36, PyTorch 2.12.
import os
import textwrap

import torch
import torch.nn.functional as F
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

FOLDER = os.path.dirname(os.path.abspath(__file__))
D = descriptor_pb2.FieldDescriptorProto
KINDS = {'string': D.TYPE_STRING, 'uint32': D.TYPE_UINT32, 'int32': D.TYPE_INT32, 'int64': D.TYPE_INT64, 'float': D.TYPE_FLOAT,
         'double': D.TYPE_DOUBLE, 'bool': D.TYPE_BOOL}
ENUMS = {
    'Phase': {'TRAIN': 0, 'TEST': 1}, 'PoolMethod': {'MAX': 0, 'AVE': 1, 'STOCHASTIC': 2}, 'EltwiseOp': {'PROD': 0, 'SUM': 1, 'MAX_': 2},      # the names of one file must differ
    'LayerType': {'NONE': 0, 'CONVOLUTION': 4, 'DATA': 5, 'DROPOUT': 6, 'INNER_PRODUCT': 14, 'LRN': 15, 'POOLING': 17, 'RELU': 18,
                  'SOFTMAX': 20, 'SOFTMAX_LOSS': 21, 'SLICE': 33, 'TANH': 23},
}
MESSAGES = {
    'NetParameter': 'name=1 string, layers=2 V1LayerParameter*, input=3 string*, input_dim=4 int32*, layer=100 LayerParameter*',
    'LayerParameter': '''name=1 string, type=2 string, bottom=3 string*, top=4 string*, blobs=7 BlobProto*, include=8 NetStateRule*,
        concat_param=104 ConcatParameter, convolution_param=106 ConvolutionParameter, dropout_param=108 DropoutParameter,
        eltwise_param=110 EltwiseParameter, inner_product_param=117 InnerProductParameter, lrn_param=118 LRNParameter,
        pooling_param=121 PoolingParameter, power_param=122 PowerParameter, relu_param=123 ReLUParameter,
        batch_norm_param=139 BatchNormParameter, scale_param=142 ScaleParameter''',
    'V1LayerParameter': '''bottom=2 string*, top=3 string*, name=4 string, type=5 LayerType, blobs=6 BlobProto*, blobs_lr=7 float*,
        convolution_param=10 ConvolutionParameter, dropout_param=12 DropoutParameter, inner_product_param=17 InnerProductParameter,
        lrn_param=18 LRNParameter, pooling_param=19 PoolingParameter''',
    'NetStateRule': 'phase=1 Phase', 'BlobShape': 'dim=1 int64*!',
    'BlobProto': 'num=1 int32, channels=2 int32, height=3 int32, width=4 int32, data=5 float*!, shape=7 BlobShape, double_data=8 double*!',
    'ConvolutionParameter': '''num_output=1 uint32, bias_term=2 bool, pad=3 uint32*, kernel_size=4 uint32*, group=5 uint32,
        stride=6 uint32*, pad_h=9 uint32, pad_w=10 uint32, kernel_h=11 uint32, kernel_w=12 uint32, stride_h=13 uint32, stride_w=14 uint32,
        dilation=18 uint32*''',
    'PoolingParameter': 'pool=1 PoolMethod, kernel_size=2 uint32, stride=3 uint32, pad=4 uint32, kernel_h=5 uint32, kernel_w=6 uint32, '
                        'global_pooling=12 bool',
    'InnerProductParameter': 'num_output=1 uint32, bias_term=2 bool, axis=5 int32, transpose=6 bool',
    'LRNParameter': 'local_size=1 uint32, alpha=2 float, beta=3 float, k=5 float', 'DropoutParameter': 'dropout_ratio=1 float',
    'ReLUParameter': 'negative_slope=1 float', 'PowerParameter': 'power=1 float, scale=2 float, shift=3 float',
    'EltwiseParameter': 'operation=1 EltwiseOp, coeff=2 float*', 'ConcatParameter': 'axis=2 int32',
    'BatchNormParameter': 'eps=3 float', 'ScaleParameter': 'axis=1 int32, bias_term=4 bool',
}

file = descriptor_pb2.FileDescriptorProto(name='caffe.proto', package='caffe', syntax='proto2')
for name, values in ENUMS.items():
    enum = file.enum_type.add(name=name)
    for value, number in values.items():
        enum.value.add(name=value, number=number)
for name, fields in MESSAGES.items():
    message = file.message_type.add(name=name)
    for entry in fields.replace('\n', ' ').split(','):
        field, kind = entry.split()
        field, number = field.split('=')
        base = kind.rstrip('*!')
        added = message.field.add(name=field, number=int(number), label=D.LABEL_REPEATED if '*' in kind else D.LABEL_OPTIONAL)
        if base in KINDS:
            added.type = KINDS[base]
        else:
            added.type = D.TYPE_ENUM if base in ENUMS else D.TYPE_MESSAGE
            added.type_name = '.caffe.' + base
        if '!' in kind:
            added.options.packed = True
pool = descriptor_pool.DescriptorPool()
pool.Add(file)
Net = message_factory.GetMessageClass(pool.FindMessageTypeByName('caffe.NetParameter'))

torch.manual_seed(1)
torch.set_default_dtype(torch.float32)


def values(*sizes, scale=1.0):
    return torch.randn(*sizes) * scale


def add_blobs(layer, tensors, old=False, double=False):
    for x in tensors:
        blob = layer.blobs.add()
        if old:
            blob.num, blob.channels, blob.height, blob.width = [1] * (4 - x.dim()) + list(x.shape)
        else:
            blob.shape.dim.extend(x.shape)
        (blob.double_data if double else blob.data).extend(x.flatten().tolist())


def add(net, kind, name, bottoms, tops, blobs=(), old=False, double=False, **params):
    layer = net.layers.add() if old else net.layer.add()
    layer.type = ENUMS['LayerType'][kind] if old else kind
    layer.name = name
    layer.bottom.extend(bottoms.split())
    layer.top.extend(tops.split())
    add_blobs(layer, blobs, old, double)
    for field, values_ in params.items():
        message = getattr(layer, field)
        message.SetInParent()
        for key, value in values_.items():
            if isinstance(value, list):
                getattr(message, key).extend(value)
            else:
                setattr(message, key, value)
    return layer


def write(name, net, deploy=None):
    with open(f'{FOLDER}/{name}.caffemodel', 'wb') as out:
        out.write(net.SerializeToString())
    text = deploy or net
    for layer in list(text.layer) + list(text.layers):
        del layer.blobs[:]
    with open(f'{FOLDER}/{name}.prototxt', 'w') as out:
        out.write('# ' + name + '\n' + text_format.MessageToString(text).replace('MAX_\n', 'MAX\n'))


def lua(x):
    return '{\n' + '\n'.join('      ' + line for line in textwrap.wrap(', '.join(f'{v:.9g}' for v in x.flatten().tolist()), 130)) + '\n    }'


def caffe_pool(x, k, s, p, average):
    """Windows round up; one that begins in the padding behind the picture is left out (pooling_layer.cpp)."""
    size = x.shape[2]
    n = -(-(size + 2 * p - k) // s) + 1
    if p and (n - 1) * s >= size + p:
        n -= 1
    out = torch.empty(x.shape[0], x.shape[1], n, n)
    for i in range(n):
        for j in range(n):
            h, w = i * s - p, j * s - p
            area = (min(h + k, size + p) - h) * (min(w + k, size + p) - w)
            part = x[:, :, max(h, 0):min(h + k, size), max(w, 0):min(w + k, size)]
            out[:, :, i, j] = part.sum((2, 3)) / area if average else part.amax((2, 3))
    return out


def caffe_lrn(x, n, alpha, beta, k):
    out = torch.empty_like(x)
    for c in range(x.shape[1]):
        around = x[:, max(0, c - n // 2):c + n // 2 + 1]
        out[:, c] = x[:, c] / (k + alpha / n * (around ** 2).sum(1)) ** beta
    return out


figures = {}

# A chain of layers of the old form, as in AlexNet.
x = values(2, 3, 9, 9)
w1, b1, w2, b2 = values(4, 3, 3, 3, scale=0.3), values(4), values(6, 2, 3, 3, scale=0.3), values(6)
w3, b3, w4, b4 = values(5, 54, scale=0.2), values(5), values(3, 5), values(3)
net = Net(name='chain')
add(net, 'DATA', 'data', '', 'data label', old=True)
add(net, 'CONVOLUTION', 'conv1', 'data', 'conv1', [w1, b1], old=True, convolution_param={'num_output': 4, 'kernel_size': [3], 'pad': [1]})
add(net, 'RELU', 'relu1', 'conv1', 'conv1', old=True)
add(net, 'POOLING', 'pool1', 'conv1', 'pool1', old=True, pooling_param={'kernel_size': 3, 'stride': 2})
add(net, 'LRN', 'norm1', 'pool1', 'norm1', old=True, lrn_param={'local_size': 3, 'alpha': 1e-1, 'beta': 0.75})
add(net, 'CONVOLUTION', 'conv2', 'norm1', 'conv2', [w2, b2], old=True,
    convolution_param={'num_output': 6, 'kernel_size': [3], 'pad': [1], 'group': 2})
add(net, 'TANH', 'tanh2', 'conv2', 'conv2', old=True)
add(net, 'POOLING', 'pool2', 'conv2', 'pool2', old=True, pooling_param={'kernel_size': 2, 'stride': 2, 'pad': 1, 'pool': 1})
add(net, 'INNER_PRODUCT', 'fc3', 'pool2', 'fc3', [w3, b3], old=True, inner_product_param={'num_output': 5})
add(net, 'RELU', 'relu3', 'fc3', 'fc3', old=True)
add(net, 'DROPOUT', 'drop3', 'fc3', 'fc3', old=True, dropout_param={'dropout_ratio': 0.25})
add(net, 'INNER_PRODUCT', 'fc4', 'fc3', 'fc4', [w4, b4], old=True, inner_product_param={'num_output': 3})
add(net, 'SOFTMAX_LOSS', 'loss', 'fc4 label', 'loss', old=True)
write('chain', net)
y = caffe_lrn(caffe_pool(F.relu(F.conv2d(x, w1, b1, padding=1)), 3, 2, 0, False), 3, 0.1, 0.75, 1)
y = caffe_pool(torch.tanh(F.conv2d(y, w2, b2, padding=1, groups=2)), 2, 2, 1, True)
y = F.softmax(F.linear(F.relu(F.linear(y.flatten(1), w3, b3)), w4, b4), 1)
figures['chain'] = (x, y)

# Branches of layers of the new form.
x = values(2, 3, 8, 8)
w1 = values(4, 3, 3, 3, scale=0.3)
mean, var, factor, gamma, beta = values(4), values(4).abs() + 0.5, torch.tensor([2.0]), values(4), values(4)
wd, bd = values(4, 4, 3, 3, scale=0.2), values(4)
wt, bt = values(4, 2, 2, 2, scale=0.5), values(4)
slopes, s2, t2 = values(4), values(8), values(8)
wf, bf = values(8, 5), values(5)
net = Net(name='branches')
add(net, 'Data', 'data', '', 'data label').include.add().phase = 0
add(net, 'Convolution', 'conv1', 'data', 'conv1', [w1], convolution_param={'num_output': 4, 'kernel_size': [3], 'pad': [1], 'bias_term': False})
add(net, 'BatchNorm', 'bn1', 'conv1', 'conv1', [mean, var, factor], batch_norm_param={'eps': 1e-3})
add(net, 'Scale', 'scale1', 'conv1', 'conv1', [gamma, beta], scale_param={'bias_term': True})
add(net, 'ReLU', 'relu1', 'conv1', 'relu1', relu_param={'negative_slope': 0.1})
add(net, 'Convolution', 'dilated', 'relu1', 'dilated', [wd.double(), bd.double()], double=True,
    convolution_param={'num_output': 4, 'kernel_size': [3], 'pad': [2], 'dilation': [2]})
add(net, 'PReLU', 'prelu', 'dilated', 'dilated', [slopes])
add(net, 'Eltwise', 'sum', 'relu1 dilated', 'sum', eltwise_param={'operation': 1, 'coeff': [1, -0.5]})
add(net, 'Pooling', 'half', 'sum', 'half', pooling_param={'kernel_size': 3, 'stride': 2, 'pad': 1, 'pool': 1})
add(net, 'Deconvolution', 'up', 'half', 'up', [wt, bt],
    convolution_param={'num_output': 4, 'kernel_h': 2, 'kernel_w': 2, 'stride': [2], 'group': 2})
add(net, 'Power', 'power', 'sum', 'power', power_param={'power': 2, 'scale': 0.5, 'shift': 1})
add(net, 'Pooling', 'same', 'power', 'same', pooling_param={'kernel_size': 2, 'stride': 2})
add(net, 'Pooling', 'down', 'up', 'down', pooling_param={'kernel_size': 3, 'stride': 3, 'pad': 1})
add(net, 'Concat', 'joined', 'same down', 'joined')
add(net, 'Scale', 'scale2', 'joined', 'scaled', [s2, t2], scale_param={'bias_term': True})
add(net, 'Pooling', 'global', 'scaled', 'global', pooling_param={'global_pooling': True, 'pool': 1})
add(net, 'InnerProduct', 'fc', 'global', 'fc', [wf, bf], inner_product_param={'num_output': 5, 'transpose': True})
add(net, 'SoftmaxWithLoss', 'loss', 'fc label', 'loss')
deploy = Net()
deploy.CopyFrom(net)
del deploy.layer[-1], deploy.layer[0]
deploy.input.append('data')
deploy.input_dim.extend([1, 3, 8, 8])
add(deploy, 'Softmax', 'prob', 'fc', 'prob')
write('branches', net, deploy)
r = F.leaky_relu(F.batch_norm(F.conv2d(x, w1, padding=1), mean / 2, var / 2, gamma, beta, eps=1e-3), 0.1)
s = r - 0.5 * F.prelu(F.conv2d(r, wd, bd, padding=2, dilation=2), slopes)
up = F.conv_transpose2d(caffe_pool(s, 3, 2, 1, True), wt, bt, stride=2, groups=2)
joined = torch.cat([caffe_pool((0.5 * s + 1) ** 2, 2, 2, 0, False), caffe_pool(up, 3, 3, 1, False)], 1)
y = (joined * s2.view(1, 8, 1, 1) + t2.view(1, 8, 1, 1)).mean((2, 3)) @ wf + bf
figures['branches'] = (x, y)

with open(f'{FOLDER}/figures.lua', 'w') as out:
    out.write('-- Written by spec/loadcaffe/figures.py: inputs and outputs of the networks next to it.\nreturn {\n')
    for name, (x, y) in figures.items():
        out.write(f'  {name} = {{\n    sizes = {{ {", ".join(map(str, x.shape))} }},\n    input = {lua(x)},\n    output = {lua(y)},\n  }},\n')
    out.write('}\n')
