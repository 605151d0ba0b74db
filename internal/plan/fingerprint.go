package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
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
