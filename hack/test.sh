#!/usr/bin/env bash
# test.sh runs what must pass before each landing, and says at the end how long each part took.
set -euo pipefail
cd "$(dirname "$0")/.."

times=()
# part NAME COMMAND...
part() {
  local name=$1 began=$SECONDS
  shift
  "$@"
  times+=("$(printf '%-24s %3d s' "$name" $((SECONDS - began)))")
}
run() { make --no-print-directory "$@"; }

# The cluster is made beside the tests that wait more than they compute. Nothing is made beside
# the end-to-end tests, which measure. Compilers have the lowest priority here. The cluster's
# processes must not: they would keep it.
make_cluster() {
  nice -n 19 make --no-print-directory prepare test-programs-of-cluster
  run test-cluster
}

part verify run verify
# A process group of its own, so that all of it ends when a part fails.
set -m
make_cluster </dev/null &
cluster=$!
set +m
trap 'kill -- -$cluster 2>/dev/null || true; wait' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
part unit run test-unit
part integration run test-integration
part 'waiting for the cluster' wait "$cluster"
trap - EXIT
part end-to-end run e2e-specs

echo "All tests passed in $SECONDS s; JUnit files are in _output/test."
printf '  %s\n' "${times[@]}"
