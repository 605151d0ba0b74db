package validate

import (
	"context"
	"testing"
	"time"
)

// FuzzCheck gives files to the verb. Each result says either that all is well, or what isn't.
func FuzzCheck(f *testing.F) {
	f.Add(runOf(good))
	f.Add(runOf(refused) + "---\n" + suiteOf("{"+template+"}"))
	f.Add(suiteOf("{" + template + ", axes: [{name: nodes, path: /store/nodes, values: [1, 3, 12]}], compare: {by: nodes}}"))
	f.Add("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {k: v}\n")
	f.Add("kind: [1]\nmetadata: 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		results, err := Check(ctx, []Content{{File: "f.yaml", Text: []byte(text)}})
		if err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if wrong := r.Error != "" || len(r.Findings) > 0; wrong == r.OK {
				t.Errorf("%+v", r)
			}
		}
	})
}
