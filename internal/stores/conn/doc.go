// Package conn is what drivers share: a connection to a member, one that a thread has for itself, and some
// that the operations of an open loop share. Of the protocols it knows those whose answers come in the order
// of the requests; of others it has the places on connections alone (Places).
package conn
