package bundletest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"testing/fstest"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Files of a bundle, by name.
type Files fstest.MapFS

// Put makes or replaces a file.
func (f Files) Put(name string, data []byte) { f[name] = &fstest.MapFile{Data: data} }

// End marks a file as complete.
func (f Files) End(name string) {
	digest := sha256.Sum256(f[name].Data)
	f.Put(bundle.EndFile(name), Line(bundle.End{Length: int64(len(f[name].Data)), SHA256: hex.EncodeToString(digest[:])}))
}

// AddLine adds to a whole file. Tests share what was recorded, so it is not added in place.
func (f Files) AddLine(name, text string) {
	f.Put(name, slices.Concat(f[name].Data, []byte(text)))
	f.End(name)
}

// FS is the folder of these files.
func (f Files) FS() fs.FS { return fstest.MapFS(f) }

// Line is a line of a .jsonl file.
func Line(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return append(data, '\n')
}

// PodUID is the UID of the nth pod.
func PodUID(n int) string { return fmt.Sprintf("22222222-2222-4222-8222-%012d", n) }

// WorkerOf is the worker of workload a with that index.
func WorkerOf(index int) bundle.Writer {
	return bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: index, PodUID: PodUID(index)}
}

// LoaderOf is an attempt to load for workload a with that index.
func LoaderOf(index, attempt int) bundle.Writer {
	return bundle.Writer{Role: bundle.RoleLoad, Workload: "a", Index: index, PodUID: PodUID(100 + 10*index + attempt)}
}

// ResetOf is an attempt to empty the store before workload a.
func ResetOf(attempt int) bundle.Writer {
	return bundle.Writer{Role: bundle.RoleReset, Workload: "a", PodUID: PodUID(200 + attempt)}
}

// BinsFile is a file of bins.
func BinsFile(startNanos int64, bins Recording) []byte {
	return bundle.AppendBins(bundle.AppendBinsHeader(nil, startNanos), bins.bins())
}
