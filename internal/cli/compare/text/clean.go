// Package text lets texts of documents that anybody may have written be shown.
package text

import (
	"strings"
	"unicode"
)

// longest bounds a text that somebody else wrote, in bytes.
const longest = 300

// Clean is a text for a terminal, which obeys control characters: one line, of a bounded length.
func Clean(text string) string {
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "..."
	}
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case !unicode.IsPrint(c):
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// Error is an error with a clean message.
type Error struct{ err error }

// CleanError cleans the message of an error, and keeps what it is. It is nil for nil.
func CleanError(err error) error {
	if err == nil {
		return nil
	}
	return &Error{err}
}

func (e *Error) Error() string { return Clean(e.err.Error()) }
func (e *Error) Unwrap() error { return e.err }
