package ignite

import (
	"cmp"
	"fmt"

	"github.com/kvbench/kvbench/internal/stores"
)

// The introduction.
const (
	introduction  = 1
	protocolMajor = 1
	protocolMinor = 7
	protocolPatch = 0
	clientThin    = 2
	featureStates = 1 << 2 // the state of the cluster is one of several
	featureGroups = 1 << 4 // the members can be asked for
)

// What a state of the cluster is, as ClusterState counts them.
const stateActive = 1

// appendIntroduction asks to be a client, and says which user's, where there is a password.
func appendIntroduction(b *builder, who *stores.Credentials) {
	b.open()
	b.byte(introduction)
	b.int16(protocolMajor)
	b.int16(protocolMinor)
	b.int16(protocolPatch)
	b.byte(clientThin)
	b.byte(typeByteArray)
	b.int32(1)
	b.byte(featureStates | featureGroups)
	if showsPassword(who) {
		b.text(cmp.Or(who.User, user))
		b.text(who.Password)
	}
	b.end()
}

// decodeIntroduction is the name of the member that takes the client.
func decodeIntroduction(data []byte) (uuid, error) {
	in := input{data: data}
	if in.bool() {
		in.object(typeByteArray) // its features
		return in.uuid(), in.err()
	}
	major, minor, patch := in.int16(), in.int16(), in.int16()
	said, _ := in.object(typeString)
	if in.short {
		return uuid{}, errProtocol
	}
	refusal := &serverError{status: in.int32(), message: shortened(said)}
	return uuid{}, fmt.Errorf("refused, by a member with version %d.%d.%d of the protocol: %w", major, minor, patch, refusal)
}

// appendState asks for the state of the cluster.
func appendState(b *builder, number int64) {
	b.begin(kindState, number)
	b.end()
}

func decodeState(in input) (active bool, err error) {
	state := in.byte()
	return state == stateActive, in.err()
}

func appendActivate(b *builder, number int64) {
	b.begin(kindChangeState, number)
	b.byte(stateActive)
	b.end()
}

// appendNodes asks for the members, whatever is known of them.
func appendNodes(b *builder, number int64) {
	b.begin(kindNodes, number)
	b.int64(0) // the topology's version that is known
	b.int32(0) // all nodes
	b.end()
}

func decodeNodes(in input) (count int, err error) {
	if !in.bool() {
		return 0, errProtocol
	}
	in.int64() // version
	count = in.count(16)
	return count, in.err()
}
