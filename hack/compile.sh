#!/usr/bin/env bash
# compile.sh OUTPUT PACKAGE...: go build, which says how far it is when that takes long. The
# first time, the libraries of Kubernetes and Helm take minutes. OUTPUT may be /dev/null, to
# compile alone; flags of go build go into GOFLAGS.
set -euo pipefail
output=$1
shift

# Most compilers end before their garbage would be worth collecting.
export GOGC=off GOMEMLIMIT=1GiB

all=$(go list -deps "$@" | wc -l)
compiled=0 said=$SECONDS
# Import paths are what -v prints; anything else is a message of the compiler's.
go build -v -o "$output" "$@" 2>&1 | while IFS= read -r line; do
  if [[ ! $line =~ ^[A-Za-z0-9._/~-]+$ ]]; then
    printf '%s\n' "$line" >&2
    continue
  fi
  compiled=$((compiled + 1))
  if ((SECONDS - said >= 5)); then
    echo "Compiling $*: $compiled packages, of $all at most"
    said=$SECONDS
  fi
done
