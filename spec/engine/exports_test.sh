#!/bin/bash
# The library (first argument) exports only mt_* and luaopen_*.
others=$(nm -D --defined-only "$1" | awk '{ print $3 }' | grep -vE '^(mt_|luaopen_)' | grep -vE '^__(asan|odr_asan|tsan|ubsan)')
if [ -n "$others" ]; then
  printf 'shown, but not part of the interface:\n%s\n' "$others"
  exit 1
fi
nm -D --defined-only "$1" | grep -q ' mt_op_call$'
