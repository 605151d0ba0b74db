package read

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/usage"
)

// memberInTenSeconds is what the member used in ten seconds with the same load before and after them.
func memberInTenSeconds(u *usage.Sources) report.MemberUsage {
	return u.During([]string{"a"}, usage.Period{From: 10e9, Until: 20e9, EvenUntil: math.MaxInt64}, 1).Members[0]
}

func TestKubeletsFilesAreReadAsTheyAre(t *testing.T) {
	const first, second = "kubelet-11111111-1111-1111-1111-111111111111.jsonl", "kubelet-22222222-2222-2222-2222-222222222222.jsonl"
	text := func(lines ...*bundle.UsageLine) string {
		var all strings.Builder
		for _, line := range lines {
			encoded, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(append(encoded, '\n'))
		}
		return all.String()
	}
	read := func(contents map[string]string) *reader {
		fsys := bundletest.Files{}
		for name, content := range contents {
			fsys.Put(name, []byte(content))
		}
		r := &reader{fsys: fsys.FS(), in: &Input{}}
		if err := r.listFiles(); err != nil {
			t.Fatal(err)
		}
		r.readKubelets()
		return r
	}
	// Two controllers, of which the first was killed in a line.
	r := read(map[string]string{
		first:  text(bundletest.OfPod("a", "1", 10, 0, 5)) + `{"member":"a"`,
		second: text(bundletest.OfPod("a", "1", 20, 10e6, 5)),
	})
	if got := memberInTenSeconds(&r.in.Usages); len(r.in.Problems) > 0 || got.Cores == nil || math.Abs(*got.Cores-1) > 1e-9 {
		t.Errorf("%v, %+v", r.in.Problems, got)
	}
	negative := int64(-1)
	for name, content := range map[string]string{
		"no line":       "x\n",
		"too long":      text(&bundle.UsageLine{Pod: strings.Repeat("x", report.MaxName+1)}),
		"negative":      text(&bundle.UsageLine{CPUMicros: &negative}),
		"negative data": text(&bundle.UsageLine{DataBytes: &negative}),
	} {
		r := read(map[string]string{first: text(bundletest.OfPod("a", "1", 10, 0, 5), bundletest.OfPod("a", "1", 14, 4e6, 5)) + content + text(bundletest.OfPod("a", "1", 20, 99e6, 5))})
		if got := memberInTenSeconds(&r.in.Usages); len(r.in.Problems) != 0 || got.CoveredMicros != 4e6 {
			t.Errorf("%s: %v, %+v", name, r.in.Problems, got)
		}
	}
}
