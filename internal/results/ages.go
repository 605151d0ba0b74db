package results

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// agesFile is empty. Its time is what the clock of the ages said last.
const agesFile = "ages"

// ages is the clock by which runs get old. It goes while the server does, and stands still while it
// doesn't: a machine's clock may have been set meanwhile, and nobody could tell that from time that
// passed. It is right about how long something was kept, and not about the date.
type ages struct {
	path  string
	clock func() time.Time // of the process
	begun time.Time        // what that said at the begin
	said  time.Time        // and what this one did
}

func openAges(path string, clock func() time.Time) (*ages, error) {
	a := &ages{path: path, clock: clock, begun: clock()}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		a.said = a.begun
		err = errors.Join(os.WriteFile(path, nil, 0o640), a.note())
	case err == nil:
		a.said = info.ModTime()
	}
	if err != nil {
		return nil, fmt.Errorf("the clock by which runs get old: %w", err)
	}
	return a, nil
}

func (a *ages) now() time.Time { return a.said.Add(a.clock().Sub(a.begun)) }

// note keeps what the clock says, for the next process.
func (a *ages) note() error { return os.Chtimes(a.path, time.Time{}, a.now()) }
