#!/bin/sh
# Prints the version of what is built here: the release, and the commit unless that is the release's own.
cd "$(dirname "$0")/.." || exit
release=$(sed -n 's/^appVersion: //p' charts/kvbench/Chart.yaml)
if ! commit=$(git rev-parse --short=12 HEAD 2>/dev/null); then
  echo "$release+unknown"
elif [ -n "$(git status --porcelain)" ]; then
  echo "$release+$commit.dirty"
elif [ "$(git describe --exact-match --tags HEAD 2>/dev/null)" = "$release" ]; then
  echo "$release"
else
  echo "$release+$commit"
fi
