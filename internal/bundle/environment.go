package bundle

// EnvironmentFile has the Environment of a run.
const EnvironmentFile = "environment.json"

// Environment is where a run's pods were, when its results were collected, and how to do it again.
type Environment struct {
	Nodes []Node `json:"nodes"` // by name
	Pods  []Pod  `json:"pods"`  // by role and name
	// Manifest is the BenchmarkRun in YAML, ready to be applied again, with the seed that was used; "" where nobody told.
	Manifest string `json:"manifest,omitempty"`
}

// MaxManifest bounds an Environment's Manifest, in bytes. No other one is told.
const MaxManifest = 256 << 10

// Node is a node of Kubernetes. What nobody could find out is empty.
type Node struct {
	Name string `json:"name"`
	// Kind is the machine's, by the label node.kubernetes.io/instance-type. Zone is by topology.kubernetes.io/zone.
	Kind             string `json:"kind,omitempty"`
	Zone             string `json:"zone,omitempty"`
	Architecture     string `json:"architecture,omitempty"`
	OS               string `json:"os,omitempty"`     // such as Debian GNU/Linux 12
	Kernel           string `json:"kernel,omitempty"` // its version
	ContainerRuntime string `json:"containerRuntime,omitempty"`
	Kubelet          string `json:"kubelet,omitempty"` // its version
	CPUs             int64  `json:"cpus,omitempty"`
	MemoryBytes      int64  `json:"memoryBytes,omitempty"`
}

// Pod is a pod of a run.
type Pod struct {
	Name string `json:"name"`
	Role string `json:"role"` // PodMember or PodWorker
	// Workload is that which a worker measured.
	Workload string `json:"workload,omitempty"`
	Node     string `json:"node,omitempty"`
	// Image is that of the container which does the work. Digest is what was pulled, or the image's ID where nothing was.
	Image  string `json:"image,omitempty"`
	Digest string `json:"digest,omitempty"`
	// StorageClass of its volume; "" without one.
	StorageClass string `json:"storageClass,omitempty"`
	// Restarts is how often that container was started again, and LastEnd how it ended the last time before; nil if it never did.
	Restarts int32         `json:"restarts,omitempty"`
	LastEnd  *ContainerEnd `json:"lastEnd,omitempty"`
}

// ContainerEnd is how a container ended, by the kubelet's word.
type ContainerEnd struct {
	At       string `json:"at,omitempty"`     // RFC 3339, in whole seconds, by the node's clock; "" where nobody knows
	Reason   string `json:"reason,omitempty"` // such as OOMKilled
	ExitCode int32  `json:"exitCode"`
	Message  string `json:"message,omitempty"` // its last words
}

// Roles of a Pod.
const (
	PodMember = "member"
	PodWorker = "worker" // it measured
)
