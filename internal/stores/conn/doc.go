// Package conn is what drivers share that speak a protocol whose answers come in the order of the
// requests: a connection to a member, one that a thread has for itself, and some that the operations of
// an open loop share.
package conn
