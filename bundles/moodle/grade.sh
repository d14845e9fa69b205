#!/bin/sh
# grade.sh SUBMISSIONS [OPTION…]: grades what was downloaded from Moodle, and writes grades.csv, a
# grading worksheet that Moodle takes back.
here=$(cd "$(dirname "$0")" && pwd)
exercise='@EXERCISE@'
[ $# -gt 0 ] || { echo "grade.sh: which folder holds the submissions?" >&2; exit 2; }
set -- "$@" --format moodle-worksheet --output grades.csv
if [ -n "$exercise" ]; then set -- "$@" --exercise "$exercise"; else set -- "$@" --verify; fi
if [ -d "$here/keys" ]; then set -- "$@" --key "$here/keys"; fi
cudalab grade "$@"
code=$?
[ "$code" -le 1 ] || exit "$code"
