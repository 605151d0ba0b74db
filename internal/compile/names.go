package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// MaxRunID is the longest run ID. The longest name of a child is that of a measuring Job's
// pod, <ID>-measure-<workload>-<index>, which is a host name of at most 63 characters:
// 31 + 9 + 20 + 3.
const MaxRunID = 31

const hashDigits = 8

// RunID is the stem of the names of a run's children: the run's name cut short, plus a
// part of the UID's hash, so that a run that is deleted and created again finds nothing of
// its predecessor's. It can name a Service: no dot, and a letter first.
func RunID(name, uid string) string {
	stem := []byte(strings.ToLower(name))
	for i, c := range stem {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			stem[i] = '-'
		}
	}
	cut := strings.TrimLeft(string(stem), "-")
	if cut == "" || cut[0] <= '9' {
		cut = "r" + cut
	}
	if longest := MaxRunID - hashDigits - 1; len(cut) > longest {
		cut = cut[:longest]
	}
	sum := sha256.Sum256([]byte(uid))
	return strings.TrimRight(cut, "-") + "-" + hex.EncodeToString(sum[:])[:hashDigits]
}
