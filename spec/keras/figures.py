# Writes networks of Keras in its forms of files, and what Keras computes of them, for keras_spec.lua: `python3 spec/keras/figures.py`.
# Versions: Keras 3.15 with PyTorch 2.12, h5py 3.16. The form of Keras 2 is written by h5py, with the names that Keras 2 gave.
import os
import textwrap

os.environ['KERAS_BACKEND'] = 'torch'
import h5py
import keras
import numpy as np
from keras import layers

FOLDER = os.path.dirname(os.path.abspath(__file__))
random = np.random.default_rng(1)


def filled(model):
    model.set_weights([random.normal(size=w.shape).astype('float32') * 0.4 + (np.abs(w) > 0) * (w.ndim == 1) for w in model.get_weights()])
    for layer in model.layers:
        if isinstance(layer, layers.BatchNormalization):
            values = layer.get_weights()
            layer.set_weights(values[:-1] + [np.abs(values[-1]) + 0.5])
    return model


pictures = filled(keras.Sequential([
    keras.Input((7, 8, 3)),
    layers.Conv2D(4, (3, 2), strides=(1, 2), name='first'), layers.BatchNormalization(name='norm', epsilon=1e-3), layers.ReLU(),
    layers.DepthwiseConv2D(2, depth_multiplier=2, name='wise'),
    layers.Conv2DTranspose(5, 2, strides=2, name='up'),
    layers.BatchNormalization(name='plain', scale=False, epsilon=1e-3),
    layers.SeparableConv2D(3, 3, name='apart'),
    layers.Flatten(), layers.Dense(4, name='last')]))
letters = filled(keras.Sequential([
    keras.Input((6,), dtype='int32'),
    layers.Embedding(9, 5, name='words'), layers.Conv1D(4, 2, name='window'), layers.LayerNormalization(name='even', epsilon=1e-5),
    layers.Bidirectional(layers.LSTM(3, return_sequences=True), name='both'), layers.GRU(4, return_sequences=True, name='gated'),
    layers.SimpleRNN(3, name='simple'), layers.Dense(2, use_bias=False, name='last')]))


def save_keras2(model, name):
    """As Keras 2's save_weights wrote it: names with ':0', in groups of the layers."""
    with h5py.File(f'{FOLDER}/{name}.h5', 'w') as file:
        file.attrs['layer_names'] = [layer.name.encode() for layer in model.layers]
        file.attrs['backend'] = b'tensorflow'
        file.attrs['keras_version'] = b'2.12.0'
        for layer in model.layers:
            group = file.create_group(layer.name)
            names = []
            for w in layer.weights:
                path = w.path.split('/')
                parts = [p for p in path[path.index(layer.name):]]
                if isinstance(layer, (layers.LSTM, layers.GRU, layers.SimpleRNN)):
                    parts = [layer.name, layer.__class__.__name__.lower() + '_cell', parts[-1]]
                elif isinstance(layer, layers.DepthwiseConv2D) and parts[-1] == 'kernel':
                    parts = [layer.name, 'depthwise_kernel']
                names.append('/'.join(parts) + ':0')
            group.attrs['weight_names'] = [n.encode() for n in names]
            for n, value in zip(names, layer.get_weights()):
                group.create_dataset(n, data=value)


def text(x):
    numbers = ', '.join(f'{v:.9g}' for v in np.asarray(x).flatten().tolist())
    return '{\n' + '\n'.join('      ' + line for line in textwrap.wrap(numbers, 130)) + '\n    }'


with open(f'{FOLDER}/figures.lua', 'w') as out:
    out.write('-- Written by spec/keras/figures.py: inputs and outputs of the networks next to it.\nreturn {\n')
    for name, model, x in [('pictures', pictures, random.normal(size=(2, 7, 8, 3)).astype('float32')),
                           ('letters', letters, random.integers(0, 9, size=(2, 6)))]:
        model.save(f'{FOLDER}/{name}.keras')
        model.save(f'{FOLDER}/{name}_whole.h5')
        model.save_weights(f'{FOLDER}/{name}.weights.h5')
        save_keras2(model, f'{name}_keras2')
        y = keras.ops.convert_to_numpy(model(x))
        out.write(f'  {name} = {{\n    sizes = {{ {", ".join(map(str, x.shape))} }},\n    input = {text(x)},\n    output = {text(y)},\n  }},\n')
    out.write('}\n')
