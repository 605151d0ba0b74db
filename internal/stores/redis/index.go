package redis

import "github.com/kvbench/kvbench/internal/stores"

// The commands about a table's index, which has its keys by their score.

// beginZADD begins the command that adds so many keys to the index.
func (r *request) beginZADD(keys int) {
	r.commands.Begin(2 + 2*keys)
	r.commands.Text("ZADD")
	r.commands.Text(r.index)
}

// zadd adds the operation's key to that command.
func (r *request) zadd(op *stores.Op) {
	r.commands.Number(int64(score(op.Key)))
	r.commands.Word(op.Key)
}

// zrem adds the command that takes the operation's key out of the index.
func (r *request) zrem(op *stores.Op) {
	r.commands.Begin(3)
	r.commands.Text("ZREM")
	r.commands.Text(r.index)
	r.commands.Word(op.Key)
}

// zrange adds the command that asks for the keys of a scan.
func (r *request) zrange(op *stores.Op) {
	r.commands.Begin(7)
	r.commands.Text("ZRANGEBYSCORE")
	r.commands.Text(r.index)
	r.commands.Number(int64(score(op.Key)))
	r.commands.Text("+inf")
	r.commands.Text("LIMIT")
	r.commands.Number(0)
	r.commands.Number(int64(op.Count))
}
