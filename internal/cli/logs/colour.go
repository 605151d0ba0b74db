package logs

import "slices"

// palette are the colours of sources, as SGR parameters (ECMA-48, 8.3.117). Red is for errors elsewhere, so no source has it.
var palette = []string{"36", "32", "33", "35", "34", "96", "92", "93", "95", "94"}

// colours gives each source a colour, in the order in which they come. With more sources than colours some share one.
type colours struct{ sources []string }

// paint colours the text of a source.
func (c *colours) paint(source, text string) string {
	at := slices.Index(c.sources, source)
	if at < 0 {
		at = len(c.sources)
		c.sources = append(c.sources, source)
	}
	return "\x1b[" + palette[at%len(palette)] + "m" + text + "\x1b[0m"
}
