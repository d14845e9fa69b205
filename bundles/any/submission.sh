#!/bin/sh
# submission.sh FOLDER EXERCISE: the file in the folder that is to be graded: the exercise's own, else the only kernel or
# document, else the first by its name. An empty one where nothing was handed in, which gets its nothing with a reason.
found=$(find "$1" -type f \( -name "$2.cu" -o -name '*.cu' -o -name '*.json' \) ! -path '*/.*' | LC_ALL=C sort)
own=$(printf '%s\n' "$found" | grep "/$2\.cu\$" | head -n 1)
file=${own:-$(printf '%s\n' "$found" | head -n 1)}
if [ -z "$file" ]; then
    file=$(mktemp -d)/${2:-nothing}.cu
    : >"$file"
fi
printf '%s\n' "$file"
