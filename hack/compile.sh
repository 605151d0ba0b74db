#!/usr/bin/env bash
# compile.sh PROGRAM PACKAGE: go build, which says how far it is when that takes long. The
# first time, the libraries of Kubernetes and Helm take minutes.
set -euo pipefail
program=$1 package=$2

all=$(go list -deps "$package" | wc -l)
compiled=0 said=$SECONDS
# Import paths are what -v prints; anything else is a message of the compiler's.
go build -v -o "$program" "$package" 2>&1 | while IFS= read -r line; do
  if [[ ! $line =~ ^[A-Za-z0-9._/~-]+$ ]]; then
    printf '%s\n' "$line" >&2
    continue
  fi
  compiled=$((compiled + 1))
  if ((SECONDS - said >= 5)); then
    echo "Compiling $package: $compiled packages, of $all at most"
    said=$SECONDS
  fi
done
