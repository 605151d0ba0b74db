package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fingerprint identifies what a run measures: two plans have the same one if they differ in nothing but their run with its
// namespace, its seed and its credentials. It is the SHA-256, in hexadecimal digits, of the plan's JSON without these. Values
// that a chart derives from the others are left out as well, for not every plan has them yet.
func (p *Plan) Fingerprint() (string, error) {
	what := *p
	what.Run, what.Seed = Run{}, 0
	what.Store.Secret, what.Store.EffectiveValues = "", nil
	if !p.Store.Existing { // their names and addresses are of the run
		what.Store.Members = make([]Member, len(p.Store.Members))
	}
	// Their order is that of their first use, which a run of other workloads besides may have in another one.
	what.Files = slices.SortedFunc(slices.Values(p.Files), func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	document, err := json.Marshal(&what)
	if err != nil {
		return "", fmt.Errorf("writing the plan: %w", err)
	}
	if p.Store.Secret != "" { // the values name it as well
		document = bytes.ReplaceAll(document, []byte(strconv.Quote(p.Store.Secret)), []byte(`""`))
	}
	sum := sha256.Sum256(document)
	return hex.EncodeToString(sum[:]), nil
}

// Part is the plan that a run of those workloads alone would have whose names begin with the prefix: under their names without it, and
// with the files that they read. The store is empty before the first, so nothing has to be reset.
func (p *Plan) Part(prefix string) *Plan {
	part := *p
	part.Workloads, part.Files = nil, nil
	read := map[string]bool{}
	for i := range p.Workloads {
		w := p.Workloads[i] // a copy
		name, is := strings.CutPrefix(w.Name, prefix)
		if !is {
			continue
		}
		w.Name, w.Reset = name, w.Reset && len(part.Workloads) > 0
		part.Workloads = append(part.Workloads, w)
		for _, value := range w.Properties {
			read[value] = true
		}
		if w.Load.Trace != nil {
			read[w.Load.Trace.File] = true
		}
		if w.Load.Shape != nil {
			read[w.Load.Shape.File] = true
		}
	}
	for _, file := range p.Files {
		if read[file.Name] {
			part.Files = append(part.Files, file)
		}
	}
	return &part
}
