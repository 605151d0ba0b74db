package callers

import "slices"

// Policy names the users that are no pods of a run and may do things in every namespace, as the API server knows them.
type Policy struct {
	Controllers []string // may do everything
	Readers     []string // may read everything
}

// Controls says whether the caller may do everything.
func (p Policy) Controls(who Identity) bool { return contains(p.Controllers, who.Username) }

// Reads says whether the caller may read everything.
func (p Policy) Reads(who Identity) bool { return p.Controls(who) || contains(p.Readers, who.Username) }

func contains(names []string, name string) bool { return name != "" && slices.Contains(names, name) }
