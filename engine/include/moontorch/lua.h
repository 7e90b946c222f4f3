/* Moontorch's C interface to its Lua part. mt_lua_* serve hosts with Lua states of their own. Sessions let a program that knows no Lua use
 * everything that is written in Lua: networks, criteria, optimisers, files, and composed ops.
 *
 * As in moontorch.h: plain C99; a failure is a status and a message of one sentence; results are stored through the last pointer. An error
 * of a Lua module or function about its arguments has a status such as MT_ERR_SHAPE; MT_ERR_LUA is any other error of Lua code. Lua's
 * headers are not needed. Functions and methods of Lua count from 1, as in `net:get(1)`; ops count dimensions from 0. */
#ifndef MOONTORCH_LUA_H
#define MOONTORCH_LUA_H

#include "moontorch/moontorch.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lua_State;

/* ---- a host's own Lua state ---- */

/** Requires torch in a state that has LuaJIT's standard libraries open, and makes `require` find 'nn', 'optim' and the other packages. It
 *  sets the globals that `require 'torch'` sets (torch, paths, include, and a pairs that also lists unloaded parts of packages), puts
 *  Moontorch's folders first in package.path and package.cpath, and libmoontorch into package.preload. A second call has no effect.
 *  @param folder the folder `lua`. NULL: a folder relative to the library, as cmake --install, a rock or a build has it, or else in an
 *    absolute entry of package.path
 *  @return MT_ERR_FILE if no folder has torch/init.lua, or it has another version; MT_ERR_UNSUPPORTED if L is not of a LuaJIT with GC64
 */
MT_API mt_status mt_lua_open(struct lua_State* L, const char* folder);

/** Pushes a Lua tensor that shares and keeps alive the storage of `x`. Its sizes are independent: resizing one tensor leaves the other
 *  unchanged.
 *  @return MT_ERR_INVALID if L was not opened by mt_lua_open; then it pushes nothing */
MT_API mt_status mt_lua_push_tensor(struct lua_State* L, const mt_tensor* x);

/** Returns the Lua tensor at a stack index as a C tensor that shares its storage. Its history on the tape stays in Lua.
 *  @param out receives a new reference */
MT_API mt_status mt_lua_to_tensor(struct lua_State* L, int32_t index, mt_tensor** out);

/* ---- sessions ---- */

typedef struct mt_session mt_session;
/** A value of a session: a module, a tensor with its history on the tape, a list, a number. A counted reference, like mt_tensor. */
typedef struct mt_object mt_object;

/** Set `size` to sizeof(mt_session_options), and fields without a wish to 0 or NULL. */
typedef struct mt_session_options {
  size_t size;
  const char* folder;    /* as in mt_lua_open */
  struct lua_State* lua; /* a state of the host, which must outlive all calls of the session; NULL: a new one */
  int64_t tensor_bytes;  /* limits, as in mt_session_limit; 0: none */
  int64_t heap_bytes;
} mt_session_options;

/** A Lua state with torch loaded. Only one thread at a time may use a session: a call during another thread's call fails at once. If the
 *  program has no Lua, the library loads libluajit.
 *  @param options NULL: a new state without limits
 *  @return MT_ERR_UNSUPPORTED if there is no LuaJIT */
MT_API mt_status mt_session_create(const mt_session_options* options, mt_session** out);

/** Closes a session, and its Lua state unless it is the host's. Calls on remaining objects fail with the message that the session is
 * closed; they must still be released. NULL is allowed.
 *  @return MT_ERR_INVALID inside a call of the session, which then stays open */
MT_API mt_status mt_session_close(mt_session* session);

/** The session's Lua state; NULL after it was closed. */
MT_API struct lua_State* mt_session_lua(const mt_session* session);

/** Limits the memory of a session, in bytes; 0: no limit. A call that exceeds it after a garbage collection fails with MT_ERR_MEMORY and
 * changes nothing.
 *  @param tensor_bytes of storages that the session allocated, excluding tensors that C created
 *  @param heap_bytes of Lua's heap */
MT_API mt_status mt_session_limit(mt_session* session, int64_t tensor_bytes, int64_t heap_bytes);

/** The bytes that the session uses now, including garbage that is not yet collected. */
MT_API mt_status mt_session_bytes(mt_session* session, int64_t* tensor_bytes, int64_t* heap_bytes);

/** Collects all garbage. */
MT_API mt_status mt_session_collect(mt_session* session);

/** Seeds the generators of the session, which its ops use. */
MT_API mt_status mt_session_seed(mt_session* session, uint64_t seed);

/** Calls an op of torch.ops(), which includes composed ops. Arguments are as in mt_call_named, or objects (MT_OBJECT): the tape records
 * calls on tracked ones.
 *  @param results receives n_results new references to tensors; a full reduction may be a number */
MT_API mt_status mt_session_call(mt_session* session, const char* op, const mt_value* args, int32_t n_args, const mt_named_value* named,
                                 int32_t n_named, int32_t n_results, mt_object** results);

/** Calls a function or class by its full name: "nn.Linear" with 3 and 2, "optim.Adam", "torch.load". The package is loaded if necessary.
 *  Arguments by name are passed as a table, the last argument, as Lua's options are.
 *  @param results receives n_results new references; missing results are nil */
MT_API mt_status mt_session_make(mt_session* session, const char* name, const mt_value* args, int32_t n_args, const mt_named_value* named,
                                 int32_t n_named, int32_t n_results, mt_object** results);

/** Reads a file of torch.save or Torch7. It runs no code of the file; functions in it are an error.
 *  @return MT_ERR_FILE if it can't be read or has another format */
MT_API mt_status mt_session_load(mt_session* session, const char* path, mt_object** out);

/** Writes an object like torch.save. On error the file is unchanged. */
MT_API mt_status mt_object_save(const mt_object* object, const char* path);

/** Converts a value, such as a tensor, whose storage is shared, into an object. */
MT_API mt_status mt_session_object(mt_session* session, const mt_value* value, mt_object** out);

/* ---- objects ---- */

MT_API mt_object* mt_object_retain(mt_object* object);
/** Drops a reference, in any thread. NULL is allowed. */
MT_API void mt_object_release(mt_object* object);

/** Calls an object: a module with its input, a criterion with input and target, a function. Arguments are as in mt_session_make. */
MT_API mt_status mt_object_call(const mt_object* object, const mt_value* args, int32_t n_args, const mt_named_value* named, int32_t n_named,
                                int32_t n_results, mt_object** results);
/** Calls a method of the object: "forward", "backward", "zeroGrad", "step", "parameters", ... */
MT_API mt_status mt_object_invoke(const mt_object* object, const char* method, const mt_value* args, int32_t n_args,
                                  const mt_named_value* named, int32_t n_named, int32_t n_results, mt_object** results);
/** The field `name` of an object; if `name` is NULL, the element `index`, counted from 1. */
MT_API mt_status mt_object_get(const mt_object* object, const char* name, int64_t index, mt_object** out);

/** The kind of an object: MT_TENSOR, MT_NUMBER, MT_BOOLEAN, MT_STRING, MT_NONE for nil, MT_OBJECT for anything else; -1 for NULL and after
 * its session was closed. */
MT_API int32_t mt_object_kind(const mt_object* object);
/** The name of its class or type: "nn.Linear", "torch.FloatTensor", "table"; truncated to `bytes`. */
MT_API mt_status mt_object_type(const mt_object* object, size_t bytes, char* text);
/** The number of elements of a list. */
MT_API mt_status mt_object_count(const mt_object* object, int64_t* out);

/** The object as a C tensor that shares its storage; a number becomes a tensor of one element. */
MT_API mt_status mt_object_tensor(const mt_object* object, mt_tensor** out);
/** The value of a number, or of a tensor with one element. */
MT_API mt_status mt_object_number(const mt_object* object, double* out);
/** The bytes of a string, truncated to fit and always terminated by 0.
 *  @param bytes size of `text`  @param length receives the length of the whole string; may be NULL */
MT_API mt_status mt_object_string(const mt_object* object, size_t bytes, char* text, size_t* length);

static inline mt_value mt_value_object(mt_object* object) {
  mt_value v = {MT_OBJECT, 0, {0}};
  v.as.object = object;
  return v;
}

#ifdef __cplusplus
}
#endif

#endif
