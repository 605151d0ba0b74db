#!/usr/bin/env bash
# Generates everything again in a copy of the checkout, and shows what differs. The
# checkout itself isn't touched.
set -euo pipefail
cd "$(dirname "$0")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar --create --exclude=./.git --exclude=./_output --exclude=./bin --exclude=./web/node_modules . | tar --extract --directory="$copy"
# The tools are here already, or made here for the next time.
make --no-print-directory _output/bin/tools/controller-gen _output/bin/tools/crd-ref-docs web/node_modules/.package-lock.json
mkdir -p "$copy/_output/bin"
cp -r --preserve=timestamps _output/bin/tools "$copy/_output/bin/"
ln -s "$PWD/web/node_modules" "$copy/web/node_modules"
make --no-print-directory -C "$copy" generate

stale=0
for path in api config charts/kvbench dashboards docs/reference docs/guide/cli.md web/dist; do
  diff --recursive --unified --new-file "$path" "$copy/$path" || stale=1
done
if [ "$stale" -ne 0 ]; then
  echo 'verify: generated files are stale; the lines above are what `make generate` would change' >&2
  exit 1
fi
echo 'verify: generated files are fresh'
