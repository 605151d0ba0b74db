package parse

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/imported"
)

// Whatever is taken for an output makes a document that can be read again, and the parsers of all tools end in order.
func FuzzOutput(f *testing.F) {
	entries, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			continue // of inputs that once broke it
		}
		f.Add(sample(f, entry.Name()))
	}
	for _, text := range []string{
		"[OVERALL], RunTime(ms), 1\n[OVERALL], Throughput(ops/sec), NaN\n[Hdr-FAILED], Operations, 1\n",
		"Run finished, takes 1s\nTOTAL - Takes(s): 1, Count: 1, OPS: 1, Avg(us): 1, Min(us): 1, Max(us): 1\n",
		"{\"ALL STATS\":{\"Runtime\":{\"Start time\":9e15},\"Totals\":{\"Count\":1,\"Ops/sec\":1}}}",
		"{\"metrics\":{\"\":{\"avg\":1},\"http_req_failed\":{\"passes\":9},\"http_req_duration\":{\"avg\":1e300}}}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, tool := range imported.Tools {
			m, err := Output(tool, content)
			if err != nil {
				if strings.TrimSpace(err.Error()) == "" {
					t.Errorf("%s: an error without words", tool)
				}
				continue
			}
			in := &imported.Imported{Kind: imported.Kind, Format: imported.Format, ImportedAt: "2027-01-15T08:00:00Z", Workload: "w",
				Source: imported.Source{File: "f", SHA256: "00"}, Measured: *m}
			if in.Check() != nil {
				continue // the command refuses it with what Check says
			}
			document, err := json.Marshal(in)
			if err != nil {
				t.Fatalf("%s: %v", tool, err)
			}
			again, err := imported.Read(document)
			if err != nil {
				t.Fatalf("%s: reading what was written: %v\n%s", tool, err, document)
			}
			if told(&again.Measured) != told(m) {
				t.Errorf("%s: wrote\n%s\nand read\n%s", tool, told(m), told(&again.Measured))
			}
		}
	})
}
