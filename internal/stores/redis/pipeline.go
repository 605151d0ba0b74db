package redis

import (
	"bufio"

	"github.com/kvbench/kvbench/internal/stores/conn"
	"github.com/kvbench/kvbench/internal/stores/redis/resp"
)

// pipeline is commands that are sent together, and their answers: an exchange of package conn.
type pipeline struct {
	commands resp.Request
	answers  resp.Answer
}

// Request is the commands.
func (p *pipeline) Request() []byte { return p.commands.Bytes() }

// Answer reads an answer to each of them.
func (p *pipeline) Answer(in *bufio.Reader) error { return p.answers.Read(in, p.commands.Commands()) }

// exchange sends the commands and reads their answers.
func (p *pipeline) exchange(over *conn.Conn) error {
	if _, err := over.Write(p.Request()); err != nil {
		return err
	}
	return p.Answer(over.In)
}

// firstError is the first answer that is an error; nil if there is none.
func (p *pipeline) firstError() error {
	for i := range p.answers.Len() {
		if err := p.answers.Of(i).Err(); err != nil {
			return err
		}
	}
	return nil
}
