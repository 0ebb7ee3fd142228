package gnmitest

import (
	"net"
	"sync"
)

// Proxy is a TCP proxy whose connections can go half-open. It is safe for
// concurrent use.
type Proxy struct {
	backend  string
	listener net.Listener
	done     sync.WaitGroup

	mu      sync.Mutex
	thawed  *sync.Cond
	frozen  bool
	refuses bool
	closed  bool
	conns   map[net.Conn]bool
}

// StartProxy forwards a free port of loopback to backend, host:port.
func StartProxy(backend string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{backend: backend, listener: listener, conns: make(map[net.Conn]bool)}
	p.thawed = sync.NewCond(&p.mu)
	p.done.Go(p.accept)
	return p, nil
}

// Addr is where the proxy listens, host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Freeze keeps connections and moves no byte. New ones are accepted.
func (p *Proxy) Freeze() { p.freeze(true) }

// Thaw moves bytes again, those held back too.
func (p *Proxy) Thaw() { p.freeze(false) }

func (p *Proxy) freeze(frozen bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = frozen
	p.thawed.Broadcast()
}

// Refuse resets new connections as they come; with false it accepts again. The
// port stays taken.
func (p *Proxy) Refuse(refuses bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = refuses
}

// Cut resets all connections, frozen ones too.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut()
}

// cut is called with the lock held.
func (p *Proxy) cut() {
	for c := range p.conns {
		reset(c)
		delete(p.conns, c)
	}
	p.thawed.Broadcast()
}

// Connections is how many there are, each with its other half.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns) / 2
}

// Stop resets all connections, gives the port back, and returns when everything
// has ended.
func (p *Proxy) Stop() {
	p.listener.Close()
	p.mu.Lock()
	p.closed = true
	p.cut()
	p.mu.Unlock()
	p.done.Wait()
}

// reset closes c so that its peer gets an RST.
func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
	c.Close()
}

func (p *Proxy) accept() {
	for {
		front, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		refuses := p.refuses
		p.mu.Unlock()
		if refuses {
			reset(front)
			continue
		}
		back, err := net.Dial("tcp", p.backend)
		if err != nil {
			reset(front)
			continue
		}
		p.mu.Lock()
		if p.closed {
			reset(front)
			reset(back)
		} else {
			p.conns[front], p.conns[back] = true, true
			p.done.Go(func() { p.copy(front, back) })
			p.done.Go(func() { p.copy(back, front) })
		}
		p.mu.Unlock()
	}
}

// copy moves bytes from one to the other until either ends, then ends both.
func (p *Proxy) copy(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !p.wait(from) {
			return // cut
		}
		if n > 0 {
			if _, werr := to.Write(buffer[:n]); err == nil {
				err = werr
			}
		}
		if err != nil {
			p.mu.Lock()
			delete(p.conns, from)
			delete(p.conns, to)
			p.mu.Unlock()
			from.Close()
			to.Close()
			return
		}
	}
}

// wait waits while the proxy is frozen, and tells whether c is still there.
func (p *Proxy) wait(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.frozen && p.conns[c] {
		p.thawed.Wait()
	}
	return p.conns[c]
}
