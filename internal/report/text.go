package report

import (
	"fmt"
	"strings"
	"time"
)

// Truncate bounds a text to so many bytes. It makes a copy, so that the rest of the text is not kept in memory.
func Truncate(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.Clone(strings.ToValidUTF8(text, ""))
}

// Human gives a duration three or four digits.
func Human(micros int64) string {
	d := time.Duration(micros) * time.Microsecond
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", micros)
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(micros)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(micros)/1e3)
	}
	return fmt.Sprintf("%.3f s", float64(micros)/1e6)
}
