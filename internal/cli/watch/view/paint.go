package view

// style is a way in which a terminal shows text.
type style string

// Styles, as SGR parameters (ECMA-48, 8.3.117).
const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

// painter colours text, if it is true.
type painter bool

func (p painter) in(s style, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
