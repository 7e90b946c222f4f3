/* A bounded arena: tensors in one block of memory that the host provides, for programs that must not ask the system for more.
 *
 * As in moontorch.h: plain C99; a failure is a status and a message; results are stored through the last pointer. */
#ifndef MOONTORCH_ARENA_H
#define MOONTORCH_ARENA_H

#include "moontorch/moontorch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mt_arena mt_arena;

/** Makes an arena in a block of memory, whose first bytes describe it. There is nothing to free: the block is the host's again when no
 *  allocator of the library is in it (mt_arena_use, mt_set_allocator).
 *  @param memory at least 4096 bytes, of any alignment
 *  @return MT_ERR_RANGE if there are fewer */
MT_API mt_status mt_arena_create(void* memory, size_t bytes, mt_arena** out);

/** Makes the arena the allocator of the whole process, as mt_set_allocator does, with the same conditions. Freed blocks are joined with
 *  their free neighbours. An allocation that does not fit fails with MT_ERR_MEMORY, and may be tried again when tensors were released.
 *  mt_set_allocator(NULL) ends the use. Blocks are aligned to 64 bytes. Objects of C++, such as graphs, are not in the arena. */
MT_API mt_status mt_arena_use(mt_arena* arena);

/** Bytes in allocated blocks, those in the library's cache included (mt_memory_trim empties it); the most that were ever allocated; and the
 *  largest block that can be allocated now. 0 for NULL. */
MT_API size_t mt_arena_used(const mt_arena* arena);
MT_API size_t mt_arena_peak(const mt_arena* arena);
MT_API size_t mt_arena_largest(const mt_arena* arena);

#ifdef __cplusplus
}
#endif
#endif
