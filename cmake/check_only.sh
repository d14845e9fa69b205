#!/bin/sh
# check_only.sh OPTION COMPILER ARGUMENTS: the launcher of header_checks (OPTION is -fsyntax-only) and layer_checks (-E). No
# code is generated: the object is an empty file, which tells Ninja that the source is checked.
option=$1
shift
for argument; do
  [ "$previous" = -o ] && object=$argument
  previous=$argument
done
"$@" "$option" && : >"$object"
