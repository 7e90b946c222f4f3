/* Moontorch's C interface where Lua is: a host's own Lua states, and sessions, through which a program that knows no Lua reaches what is
 * made in Lua: networks, criteria, optimisers, files, and the ops that are composed of others.
 *
 * As in moontorch.h: plain C99, every failure a status and a message of one sentence, results through the last pointer. What a module or a
 * function of Lua refuses has the status of its kind (MT_ERR_SHAPE, ...); MT_ERR_LUA is any other error of Lua code.
 * Lua's headers are not needed. Here what is Lua's counts from 1, as there: `net:get(1)`; ops alone count dimensions from 0. */
#ifndef MOONTORCH_LUA_H
#define MOONTORCH_LUA_H

#include "moontorch/moontorch.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lua_State;

/* ---- a host's own Lua state ---- */

/** Makes `require 'torch'`, 'nn', 'optim' and the rest work in a state with LuaJIT's standard libraries, and requires torch. Of globals
 *  there are what `require 'torch'` makes (torch, paths, include, and pairs, which shows what packages have not read yet too);
 *  package.path and package.cpath begin with our folders, package.preload has libmoontorch. A second call changes nothing.
 *  @param folder the folder `lua`, or NULL: it is looked for from the library's own place, as cmake --install, a rock or a build folder
 *    have it, and then in absolute entries of package.path
 *  @return MT_ERR_FILE where no folder has torch/init.lua, or one of another version; MT_ERR_UNSUPPORTED where L is of no LuaJIT with GC64
 */
MT_API mt_status mt_lua_open(struct lua_State* L, const char* folder);

/** Pushes a tensor of Lua that shares its elements with `x`, and has sizes of its own: either may be resized, the other sees the same
 *  storage as before. It keeps the storage alive.
 *  @return MT_ERR_INVALID where L was not opened; then nothing is pushed */
MT_API mt_status mt_lua_push_tensor(struct lua_State* L, const mt_tensor* x);

/** The other way: a tensor at a stack index, as a new reference that shares its elements. What the tape knows of it stays in Lua.
 *  @param out receives a new reference */
MT_API mt_status mt_lua_to_tensor(struct lua_State* L, int32_t index, mt_tensor** out);

/* ---- sessions ---- */

typedef struct mt_session mt_session;
/** A value of a session: a module, a tensor on the tape, a list, a number. A counted reference, as a tensor is. */
typedef struct mt_object mt_object;

/** Set `size` to its sizeof, and to 0 or NULL what is left to us. */
typedef struct mt_session_options {
  size_t size;
  const char* folder;    /* as mt_lua_open has it */
  struct lua_State* lua; /* the host's own state, which must outlive the session's calls, not the session; NULL: one is made */
  int64_t tensor_bytes;  /* limits, as mt_session_limit sets them; 0: none */
  int64_t heap_bytes;
} mt_session_options;

/** A Lua state with everything opened. It is used by one thread at a time: a call that meets another thread's is refused, and waits for
 *  nothing. Where the program has no Lua, libluajit is opened.
 *  @param options NULL: a state of its own, without limits
 *  @return MT_ERR_UNSUPPORTED where there is no LuaJIT */
MT_API mt_status mt_session_create(const mt_session_options* options, mt_session** out);

/** Ends a session, and its state if it was made for it. Objects that are left say that it is closed, whatever is asked of them, and are to
 * be released as ever. NULL is allowed.
 *  @return MT_ERR_INVALID inside a call of it, and the session goes on */
MT_API mt_status mt_session_close(mt_session* session);

/** Its state, for hosts that do know Lua; NULL of a closed one. */
MT_API struct lua_State* mt_session_lua(const mt_session* session);

/** What the session may hold at a time, in bytes; 0: no limit. What passes it is MT_ERR_MEMORY, after garbage was collected; nothing is
 * lost.
 *  @param tensor_bytes of its tensors' storages. What C made and handed in counts as C's
 *  @param heap_bytes of Lua's own heap */
MT_API mt_status mt_session_limit(mt_session* session, int64_t tensor_bytes, int64_t heap_bytes);

/** What its tensors hold now, in bytes, garbage that waits for the collector included. */
MT_API mt_status mt_session_bytes(mt_session* session, int64_t* tensor_bytes, int64_t* heap_bytes);

/** Collects all garbage. */
MT_API mt_status mt_session_collect(mt_session* session);

/** Seeds the session's generators, from which its ops draw. */
MT_API mt_status mt_session_seed(mt_session* session, uint64_t seed);

/** Calls any op of torch.ops(), those composed of others among them. Arguments are as in mt_call_named, and may be objects (MT_OBJECT):
 * then what the tape knows of them goes on.
 *  @param results n_results times a new reference: tensors; a full reduction may be a number */
MT_API mt_status mt_session_call(mt_session* session, const char* op, const mt_value* args, int32_t n_args, const mt_named_value* named,
                                 int32_t n_named, int32_t n_results, mt_object** results);

/** Calls a function or class of a package by its whole name: "nn.Linear" with 3 and 2, "optim.Adam", "torch.load". The package is required.
 *  Arguments by name become a table, which comes last: Lua's options.
 *  @param results n_results times a new reference; what the function does not give is nil */
MT_API mt_status mt_session_make(mt_session* session, const char* name, const mt_value* args, int32_t n_args, const mt_named_value* named,
                                 int32_t n_named, int32_t n_results, mt_object** results);

/** Reads a file that torch.save or Torch7 wrote. No code in it is run, and functions are refused.
 *  @return MT_ERR_FILE where it can't be read or is no such file */
MT_API mt_status mt_session_load(mt_session* session, const char* path, mt_object** out);

/** Writes an object as torch.save does: the file is whole, or as it was. */
MT_API mt_status mt_object_save(const mt_object* object, const char* path);

/** An object of a tensor, which shares its elements. */
MT_API mt_status mt_session_object(mt_session* session, const mt_value* value, mt_object** out);

/* ---- objects ---- */

MT_API mt_object* mt_object_retain(mt_object* object);
/** Gives one reference back, from any thread. NULL is allowed. */
MT_API void mt_object_release(mt_object* object);

/** Calls an object: a module with its input, a criterion with input and target, a function. As mt_session_make. */
MT_API mt_status mt_object_call(const mt_object* object, const mt_value* args, int32_t n_args, const mt_named_value* named, int32_t n_named,
                                int32_t n_results, mt_object** results);
/** Calls its method of that name: "forward", "backward", "zeroGrad", "step", "parameters", ... */
MT_API mt_status mt_object_invoke(const mt_object* object, const char* method, const mt_value* args, int32_t n_args,
                                  const mt_named_value* named, int32_t n_named, int32_t n_results, mt_object** results);
/** Its field of a name, or element of a number from 1 (`name` NULL). */
MT_API mt_status mt_object_get(const mt_object* object, const char* name, int64_t index, mt_object** out);

/** What it is: MT_TENSOR, MT_NUMBER, MT_BOOLEAN, MT_STRING; MT_OBJECT of anything else, MT_NONE of nil, and -1 where the session is closed
 * or NULL came. */
MT_API int32_t mt_object_kind(const mt_object* object);
/** The name of its class or type, "nn.Linear", "torch.FloatTensor", "table", as a text that is cut where it does not fit. */
MT_API mt_status mt_object_type(const mt_object* object, size_t bytes, char* text);
/** How many elements a list has. */
MT_API mt_status mt_object_count(const mt_object* object, int64_t* out);

/** Its elements as a tensor of C, shared; of a number, one of one element. */
MT_API mt_status mt_object_tensor(const mt_object* object, mt_tensor** out);
/** It as a number: also a tensor of one element. */
MT_API mt_status mt_object_number(const mt_object* object, double* out);
/** It as a text; `length`, which may be NULL, is its bytes. What does not fit is cut; there always is an end of 0.
 *  @param bytes size of text */
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
