package loadgen

const (
	// ballastBytes are added to what the garbage collector believes to be in use.
	ballastBytes = 32 << 20
	// ballastRoom is the least limit of memory that a process with the ballast has room in: where
	// the collector itself waits for cores, garbage was seen to pile up to 130 MiB.
	ballastRoom = 256 << 20
	// collectsOften is how many collections in a second are too many.
	collectsOften = 20
)

// ballast makes the garbage collector work seldom where much garbage is made.
//
// The collector begins when the heap has doubled. A worker has a few MiB in use, and scans of records
// of 1 kB make hundreds of MiB of garbage in a second: it would collect a hundred times in a second,
// and each time stop all threads. With the ballast it is a few times. Nobody writes to it, so it
// takes no memory itself, unless the heap was that large before: garbage of about its size does. Where
// little garbage is made there is no ballast, for that garbage would pile up as well; nor where the
// process's limit of memory has no room for it.
// The zero value is none, and stays so.
type ballast struct {
	room bool
	held []byte
	seen int64
}

// look takes the ballast on if there were too many collections since the last time, a second ago.
// collections are all that there were in the process.
func (b *ballast) look(collections int64) {
	if b.room && b.held == nil && collections-b.seen > collectsOften {
		b.held = make([]byte, ballastBytes)
	}
	b.seen = collections
}
