package v1alpha1

// Security is what a store asks of its clients.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self in ['None', 'Auth', 'TLS']",message="must be None, Auth or TLS"
type Security string

// The levels of Security.
const (
	// SecurityNone: whoever reaches the members may use them. A NetworkPolicy lets the run's own
	// pods through alone.
	SecurityNone Security = "None"
	// SecurityAuth: clients prove who they are with a password. Connections are plain text.
	SecurityAuth Security = "Auth"
	// SecurityTLS: clients prove who they are, and connections are encrypted.
	SecurityTLS Security = "TLS"
)
