package servers

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/hack/localcluster/internal/maven"
)

//go:embed cassandra.sha256
var cassandraJars string

// jarsOf reads a list as sha256sum makes it, without lines that begin with #.
func jarsOf(list string) (jars []maven.Jar, err error) {
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) != 2 || len(words[0]) != 64 {
			return nil, fmt.Errorf("%q is no SHA-256 and path of a jar", line)
		}
		jars = append(jars, maven.Jar{SHA256: words[0], Path: words[1]})
	}
	return jars, nil
}

// mustJars is jarsOf of a list that is part of the program.
func mustJars(list string) []maven.Jar {
	jars, err := jarsOf(list)
	if err != nil {
		panic(err)
	}
	return jars
}
