// Package partition knows which member owns which partition of the key space, for stores whose members name the owners
// by identifiers of their own. A driver knows its members by their addresses, and learns the identifiers one by one.
package partition
