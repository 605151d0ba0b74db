#!/usr/bin/env bash
# Looks for known vulnerabilities in what the module's code calls. Go's vulnerability database is
# read as a Go module, at its newest: so this works wherever dependencies can be had.
set -euo pipefail
cd "$(dirname "$0")/.."

download=$(cd / && go mod download -json golang.org/x/vulndb@master)
field() { sed -n "s/^\t\"$1\": \"\(.*\)\",\$/\1/p" <<<"$download"; }
database=$(field Dir)/data/osv
# govulncheck finds nothing in an empty database, and says so as in a full one.
entries=$(find "$database" -name 'GO-*.json' | wc -l)
if ((entries == 0)); then
  echo "vulncheck: no entries in $database" >&2
  exit 1
fi
echo "vulncheck: $entries entries of golang.org/x/vulndb $(field Version)"
go tool -modfile=hack/tools/vuln/go.mod govulncheck -db "file://$database" ./...
