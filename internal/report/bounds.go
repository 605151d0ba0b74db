package report

// Bounds of what pods can make a report hold.
const (
	// MaxReasonText bounds a reason's message, in bytes. An error may quote a line of a pod's file, which
	// can have a quarter of a megabyte, and there is one for each file.
	MaxReasonText = 512
	// MaxReasonSeconds bounds Reason.Seconds.
	MaxReasonSeconds = 100
	// MaxErrorText bounds each text of an ErrorCount, in bytes.
	MaxErrorText = 256
	// MaxMembers bounds the members of a store.
	MaxMembers = 16
	// MaxName bounds a name, in bytes. The longest is an address; names of pods are shorter.
	MaxName = 259
)
