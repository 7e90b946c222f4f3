/* The Lua files in the program, as bytecode: written by embed.lua. */
#include <stddef.h>

typedef struct {
  const char* name;
  size_t offset, size;
} embedded_file;

extern const embedded_file embedded_files[];
extern const int embedded_count;
extern const char embedded_bytes[] __attribute__((visibility("hidden")));
