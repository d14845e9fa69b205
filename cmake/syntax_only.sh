#!/bin/sh
# syntax_only.sh COMPILER ARGUMENTS: the launcher of header_checks. It checks a source and generates no code: the object is
# an empty file, which tells Ninja that the source is checked.
for argument; do
  [ "$previous" = -o ] && object=$argument
  previous=$argument
done
"$@" -fsyntax-only && : >"$object"
