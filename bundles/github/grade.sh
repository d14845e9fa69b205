#!/bin/sh
# Grades the checked-out repository, and hands the result on as the step's output. A failed grader fails the step.
action=$(cd "$(dirname "$0")" && pwd)
exercise='@EXERCISE@'
result=$(mktemp)
set -- --format classroom --output "$result"
if [ -n "$exercise" ]; then set -- "$@" --exercise "$exercise"; else set -- "$@" --verify; fi
if [ -d "$action/keys" ]; then set -- "$@" --key "$action/keys"; fi
cudalab grade "$(sh "$action/submission.sh" "${GITHUB_WORKSPACE:-.}" "$exercise")" "$@"
code=$?
[ "$code" -le 1 ] || exit "$code"
printf 'result=%s\n' "$(base64 -w0 "$result")" >>"$GITHUB_OUTPUT"
