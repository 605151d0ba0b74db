package plan

import "testing"

// Three workloads of two owners: b reads what a does, and shape comes first in the whole run.
func TestAPartHasTheFingerprintOfARunOfItsOwn(t *testing.T) {
	reads := map[string]string{"fieldlengthhistogram": "lengths"}
	shaped := Load{Threads: 1, Shape: &Shape{File: "shape"}}
	files := map[string]File{}
	for _, name := range []string{"shape", "trace", "lengths"} {
		files[name] = File{Name: name, SHA256: name}
	}
	own := &Plan{Format: Format, Run: Run{Name: "own"}, Seed: 1,
		Workloads: []Workload{{Name: "a", Load: shaped, Properties: reads}, {Name: "b", Reset: true, Load: shaped}},
		Files:     []File{files["lengths"], files["shape"]}}
	shared := &Plan{Format: Format, Run: Run{Name: "shared"}, Seed: 2,
		Workloads: []Workload{
			{Name: "c1-a", Load: Load{Trace: &Trace{File: "trace"}}},
			{Name: "c12-a", Reset: true, Load: shaped, Properties: reads}, {Name: "c12-b", Reset: true, Load: shaped},
		},
		Files: []File{files["shape"], files["trace"], files["lengths"]}}
	print := func(p *Plan) string {
		is, err := p.Fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	if part := shared.Part("c12-"); print(part) != print(own) {
		t.Errorf("%+v, want %+v", part, own)
	}
	if part := shared.Part("c1-"); len(part.Workloads) != 1 || len(part.Files) != 1 || part.Files[0].Name != "trace" || print(part) == print(own) {
		t.Errorf("%+v", part)
	}
	if len(shared.Workloads) != 3 || shared.Workloads[1].Name != "c12-a" || !shared.Workloads[1].Reset {
		t.Errorf("the whole plan became %+v", shared)
	}
}
