package handle

import "context"

// enterSlow is Enter where the stripe has no room. The caller has raised its
// counter.
func (g *Guard) enterSlow(s *Stripe) *Stripe {
	place, w := g.look(s)
	if w == nil {
		return place
	}
	<-w.ready
	return w.place
}

// enterOrGiveUp is enterSlow that ends with ctx.
func (g *Guard) enterOrGiveUp(s *Stripe, ctx context.Context) (*Stripe, error) {
	place, w := g.look(s)
	if w == nil {
		return place, nil
	}
	if ctx == nil {
		<-w.ready
		return w.place, nil
	}
	select {
	case <-w.ready:
		return w.place, nil
	case <-ctx.Done():
	}
	if !g.leaveCrowd(w) && w.place != nil {
		g.Exit(w.place) // which it was given meanwhile
	}
	return nil, ctx.Err()
}

// look lowers the counter again, and looks for a place elsewhere. Where there is
// none it returns a waiter; neither if the guard is closed.
func (g *Guard) look(s *Stripe) (*Stripe, *waiter) {
	if s.n.Add(-1) < shut/2 {
		if s := g.other(); s != nil {
			return s, nil
		}
	}
	c := &g.crowd
	c.mu.Lock()
	defer c.mu.Unlock()
	if g.closed.Load() {
		g.signal() // Close may have seen the raised counter
		return nil, nil
	}
	w := &waiter{ready: make(chan struct{})}
	c.push(w)
	// Who leaves from now on comes to exitSlow. Who has left before shows in the
	// counters, and so does who has raised one but will lower it, in look, and
	// come here then: whatever gets free is seen by one or the other.
	g.shutAll()
	g.admit()
	return nil, w
}

// other takes a place of any stripe that is not shut; nil if there is none.
func (g *Guard) other() *Stripe {
	for i := range g.all() {
		if g.counter[i].take(0) {
			return &g.counter[i]
		}
	}
	return nil
}

// take takes a place if there is one; full is what the counter is when there is
// none.
func (s *Stripe) take(full int64) bool {
	for {
		n := s.n.Load()
		if n >= full {
			return false
		}
		if s.n.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// enterOver is EnterOver where the stripe has no room.
func (g *Guard) enterOver(s *Stripe) *Stripe {
	g.crowd.mu.Lock()
	defer g.crowd.mu.Unlock()
	if !g.closed.Load() {
		return s
	}
	s.n.Add(-1)
	g.signal()
	return nil
}

// enterOrOver is EnterOrOver where the stripe has no room.
func (g *Guard) enterOrOver(s *Stripe) (*Stripe, bool) {
	place := g.other()
	if place == nil {
		place = g.enterOver(s)
		return place, place != nil
	}
	g.Exit(s)
	return place, false
}

// exitSlow gives what has become free to those that wait.
func (g *Guard) exitSlow() {
	g.crowd.mu.Lock()
	defer g.crowd.mu.Unlock()
	if g.closed.Load() {
		g.signal()
		return
	}
	g.admit()
}

// admit gives places to those that wait, as far as there are any, and opens the
// stripes when nobody waits any more. The caller holds the lock.
func (g *Guard) admit() {
	c := &g.crowd
	if !c.shut {
		return
	}
	for c.first != nil {
		s := g.free()
		if s == nil {
			return
		}
		w := c.first
		c.remove(w)
		w.place = s
		close(w.ready)
	}
	if !g.closed.Load() {
		c.shut = false
		for i := range g.all() {
			g.counter[i].n.Add(-shut)
		}
	}
}

// free takes a place of a stripe that is shut; nil if there is none. The caller
// holds the lock.
func (g *Guard) free() *Stripe {
	for i := range g.all() {
		if g.counter[i].take(shut) {
			return &g.counter[i]
		}
	}
	return nil
}

// shutAll makes every stripe full. The caller holds the lock.
func (g *Guard) shutAll() {
	if g.crowd.shut {
		return
	}
	g.crowd.shut = true
	for i := range g.all() {
		g.counter[i].n.Add(shut)
	}
}

// leaveCrowd takes a waiter out, and tells whether it was still in.
func (g *Guard) leaveCrowd(w *waiter) bool {
	c := &g.crowd
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-w.ready:
		return false
	default:
	}
	c.remove(w)
	g.admit()
	return true
}

// turnAway is Close's: it shuts the stripes for good, and sends those that wait
// home.
func (g *Guard) turnAway() {
	c := &g.crowd
	c.mu.Lock()
	defer c.mu.Unlock()
	g.shutAll()
	for c.first != nil {
		w := c.first
		c.remove(w)
		close(w.ready)
	}
}

func (g *Guard) signal() {
	select {
	case g.crowd.wake <- struct{}{}:
	default: // Close looks at all counters again anyway
	}
}

func (c *crowd) push(w *waiter) {
	c.waiting.Add(1)
	w.prev = c.last
	if c.last == nil {
		c.first = w
	} else {
		c.last.next = w
	}
	c.last = w
}

func (c *crowd) remove(w *waiter) {
	c.waiting.Add(-1)
	if w.prev == nil {
		c.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		c.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next = nil, nil
}
