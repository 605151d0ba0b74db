#!/usr/bin/env bash
# cassandra.sh VERSION: writes cassandra.sha256, the jars of that version of Cassandra. It needs
# Maven 3 and a network.
#
# Natives of systems that no image here is of are left out: the library beside them, which finds
# that they are missing, goes on without.
set -euo pipefail
cd "$(dirname "$0")"
version=$1

folder=$(mktemp --directory)
trap 'rm --recursive --force "$folder"' EXIT
cat >"$folder/pom.xml" <<POM
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>kvbench</groupId><artifactId>cassandra</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.cassandra</groupId><artifactId>cassandra-all</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
POM
mvn --batch-mode --quiet --file "$folder/pom.xml" dependency:copy-dependencies \
  -DincludeScope=runtime -Dmdep.useRepositoryLayout=true -DoutputDirectory="$folder/jars"
list() {
  cd "$folder/jars"
  find . -name '*.jar' -printf '%P\n' | grep --invert-match --extended-regexp -- '-(osx|windows|linux-riscv64)' |
    LC_ALL=C sort | xargs sha256sum
}
jars=$(list)
printf '%s\n' "# The jars of Cassandra $version, by cassandra.sh: SHA-256, and path in Maven Central." "$jars" >cassandra.sha256
