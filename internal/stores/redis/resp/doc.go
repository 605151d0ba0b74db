// Package resp is Redis' protocol, version 2: requests as they are sent, and answers as they are read
// (https://redis.io/docs/latest/develop/reference/protocol-spec/). Neither takes memory once its
// buffers have grown.
package resp
