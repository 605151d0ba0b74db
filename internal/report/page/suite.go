package page

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Suite is the page of a suite, made of its suite.json.
func Suite(suite []byte) ([]byte, error) {
	var of struct {
		Suite struct{ Namespace, Name string }
	}
	if err := json.Unmarshal(suite, &of); err != nil {
		return nil, fmt.Errorf("the page of a suite that is no JSON: %w", err)
	}
	return document(of.Suite.Namespace+"/"+of.Suite.Name, fmt.Appendf(nil, `{"kind":"suite","suite":%s}`, bytes.TrimSpace(suite)))
}
