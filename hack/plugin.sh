#!/usr/bin/env bash
# plugin.sh VERSION FLAGS...: builds kubectl-kvbench for Linux and macOS, on amd64 and arm64, into _output/plugin: an archive for
# each, and krew's manifest with their digests. FLAGS are of go build. The same source gives the same archives.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1
shift

out=_output/plugin
rm -rf "$out"
mkdir -p "$out"
platforms=
for os in linux darwin; do
  for arch in amd64 arm64; do
    folder=$(mktemp -d)
    GOOS=$os GOARCH=$arch CGO_ENABLED=0 GOFLAGS="${GOFLAGS:-} $*" hack/compile.sh "$folder/kubectl-kvbench" ./cmd/kubectl-kvbench
    cp LICENSE "$folder"
    archive=kubectl-kvbench-$os-$arch.tar.gz
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime='2000-01-01 00:00Z' --directory="$folder" . |
      gzip --no-name > "$out/$archive"
    rm -rf "$folder"
    digest=$(sha256sum "$out/$archive" | cut -d' ' -f1)
    echo "$out/$archive $digest"
    platforms+="
  - selector:
      matchLabels: {os: $os, arch: $arch}
    uri: https://github.com/kvbench/kvbench/releases/download/$version/$archive
    sha256: $digest
    bin: kubectl-kvbench"
  done
done
cat > "$out/kvbench.yaml" <<EOF
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: kvbench
spec:
  version: ${version%%+*}
  homepage: https://github.com/kvbench/kvbench
  shortDescription: Benchmark distributed key-value stores
  description: |
    Runs benchmarks of distributed key-value stores in a cluster that has kvbench, watches them, and shows and compares what they
    found: how fast a store is, and how long clients are without service when something breaks.
  caveats: |
    The cluster needs kvbench. kubectl kvbench doctor says what it lacks.
  platforms:$platforms
EOF
echo "$out/kvbench.yaml"
