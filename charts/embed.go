// Package charts holds the stores' Helm charts, and kvbench's resource definitions, inside the binary.
package charts

import (
	"embed"
	"io/fs"
)

// all: since a plain pattern leaves out files whose names begin with _ or a dot, such
// as _helpers.tpl.
//
//go:embed all:stores
var files embed.FS

//go:embed kvbench/crds
var definitions embed.FS

// Stores has one folder for each chart.
func Stores() fs.FS {
	sub, err := fs.Sub(files, "stores")
	if err != nil {
		panic(err) // the path is a constant and embedded above
	}
	return sub
}

// Definitions has a file with a CustomResourceDefinition for each kind of kvbench.
func Definitions() fs.FS {
	sub, err := fs.Sub(definitions, "kvbench/crds")
	if err != nil {
		panic(err) // the path is a constant and embedded above
	}
	return sub
}
