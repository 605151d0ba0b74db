#!/usr/bin/env bash
# fuzz.sh TIME: each fuzz target of the module for so long, one after the other. An input
# that breaks a target stays below its package's testdata, where go test finds it.
set -euo pipefail
cd "$(dirname "$0")/.."
time=$1

# Only packages that have one: listing the others would compile their tests.
packages=$(grep --recursive --files-with-matches --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u)
failed=()
for package in $packages; do
  # A package that doesn't compile has no target: that is a failure, and no reason to stop.
  listed=$(go test -list '^Fuzz' "$package") || { failed+=("$package"); continue; }
  for target in $(grep '^Fuzz' <<<"$listed"); do
    echo "$package $target"
    go test -run='^$' -fuzz="^$target\$" -fuzztime="$time" "$package" || failed+=("$package $target")
  done
done
if ((${#failed[@]} > 0)); then
  printf 'fuzz: FAILED: %s\n' "${failed[@]}" >&2
  exit 1
fi
