package apiserver

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// longestLife is that of tokens which aren't bound to a pod. Whoever may create tokens of an account chooses how long they last,
// and such a token would outlive the right to create it.
const longestLife = time.Hour

// outlives says whether a token, which has been reviewed, was made for longer than it may be. A token that is no JSON Web Token
// tells nothing of that (RFC 7519, section 4.1).
func outlives(token string, longest time.Duration) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return false
	}
	var claims struct {
		IssuedAtSeconds  float64 `json:"iat"`
		ExpiresAtSeconds float64 `json:"exp"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return false
	}
	return claims.ExpiresAtSeconds-claims.IssuedAtSeconds > longest.Seconds()
}
