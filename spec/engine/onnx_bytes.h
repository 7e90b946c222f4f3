/* Writes ONNX models as bytes: the fields of onnx.proto that the C tests need. */
#ifndef SPEC_ENGINE_ONNX_BYTES_H
#define SPEC_ENGINE_ONNX_BYTES_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

typedef struct bytes {
  size_t count;
  unsigned char data[4096];
} bytes;

static inline void add_varint(bytes* to, uint64_t n) {
  do {
    assert(to->count < sizeof to->data);
    to->data[to->count++] = (unsigned char)((n & 127) | (n > 127 ? 128 : 0));
    n >>= 7;
  } while (n > 0);
}
static inline void add_number(bytes* to, int field, uint64_t n) {
  add_varint(to, (uint64_t)field * 8);
  add_varint(to, n);
}
static inline void add_block(bytes* to, int field, const void* data, size_t count) {
  add_varint(to, (uint64_t)field * 8 + 2);
  add_varint(to, count);
  assert(to->count + count <= sizeof to->data);
  memcpy(to->data + to->count, data, count);
  to->count += count;
}
static inline void add_message(bytes* to, int field, const bytes* message) { add_block(to, field, message->data, message->count); }
static inline void add_text(bytes* to, int field, const char* text) { add_block(to, field, text, strlen(text)); }

/* A tensor of a graph (field 5) or an attribute (field 5). One without sizes: ndim 0. */
static inline void add_tensor(bytes* to, int field, const char* name, int type, int ndim, const int64_t* sizes, const void* raw,
                              size_t count) {
  bytes t = {0, {0}};
  int d;
  for (d = 0; d < ndim; ++d) add_number(&t, 1, (uint64_t)sizes[d]);
  add_number(&t, 2, (uint64_t)type);
  add_text(&t, 8, name);
  add_block(&t, 9, raw, count);
  add_message(to, field, &t);
}

/* A node of a graph: names of inputs and outputs, separated by blanks; attributes may be NULL. */
static inline void add_names(bytes* to, int field, const char* names) {
  while (*names != '\0') {
    const size_t length = strcspn(names, " ");
    add_block(to, field, names, length);
    names += length + (names[length] == ' ');
  }
}
static inline void add_node(bytes* graph, const char* op, const char* inputs, const char* outputs, const bytes* attributes) {
  bytes node = {0, {0}};
  add_names(&node, 1, inputs);
  add_names(&node, 2, outputs);
  add_text(&node, 4, op);
  if (attributes != NULL) {
    assert(node.count + attributes->count <= sizeof node.data);
    memcpy(node.data + node.count, attributes->data, attributes->count);
    node.count += attributes->count;
  }
  add_message(graph, 1, &node);
}

/* A graph as an attribute of a node. */
static inline void add_body(bytes* attributes, const char* name, const bytes* graph) {
  bytes a = {0, {0}};
  add_text(&a, 1, name);
  add_message(&a, 6, graph);
  add_number(&a, 20, 5);
  add_message(attributes, 5, &a);
}

/* An input (field 11) or output (field 12). A size of -1 is called n. */
static inline void add_value(bytes* graph, int field, const char* name, int type, int ndim, const int64_t* sizes) {
  bytes shape = {0, {0}}, tensor = {0, {0}}, kind = {0, {0}}, value = {0, {0}};
  int d;
  for (d = 0; d < ndim; ++d) {
    bytes extent = {0, {0}};
    if (sizes[d] >= 0)
      add_number(&extent, 1, (uint64_t)sizes[d]);
    else
      add_text(&extent, 2, "n");
    add_message(&shape, 1, &extent);
  }
  add_number(&tensor, 1, (uint64_t)type);
  add_message(&tensor, 2, &shape);
  add_message(&kind, 1, &tensor);
  add_text(&value, 1, name);
  add_message(&value, 2, &kind);
  add_message(graph, field, &value);
}

static inline bytes model_of(const bytes* graph) {
  bytes model = {0, {0}}, set = {0, {0}};
  add_number(&model, 1, 8);
  add_message(&model, 7, graph);
  add_text(&set, 1, "");
  add_number(&set, 2, 17);
  add_message(&model, 8, &set);
  return model;
}

#endif
