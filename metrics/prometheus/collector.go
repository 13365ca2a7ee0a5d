package prometheus

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/lsmkit/lsmkit/store"
)

// A Source is what a collector reads: any store.DB.
type Source interface {
	Metrics() (store.Metrics, error)
}

// A Collector is a prometheus.Collector of one store. It may be used by many
// goroutines at once, and after the store was closed.
type Collector struct {
	source   Source
	up       *prometheus.Desc
	figures  []*prometheus.Desc // of the table figures
	families []*prometheus.Desc // of the table families
}

var _ prometheus.Collector = (*Collector)(nil)

// New returns a collector of db's metrics. The name becomes their label store. It
// tells the program's stores apart: a registry refuses a second one of the same
// name.
func New(db Source, name string) *Collector {
	desc := func(metric, help string, own ...string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName("lsmkit", "", metric), help,
			append([]string{"engine"}, own...), prometheus.Labels{"store": name})
	}
	c := &Collector{source: db, up: desc("up", "Whether the store is open and tells its metrics.")}
	for i := range figures {
		c.figures = append(c.figures, desc(figures[i].name, figures[i].help))
	}
	for i := range families {
		c.families = append(c.families, desc(families[i].name, families[i].help, families[i].label))
	}
	return c
}

// Describe sends what Collect may send.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.up
	for _, d := range c.figures {
		ch <- d
	}
	for _, d := range c.families {
		ch <- d
	}
}

// Collect sends what the store tells now.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	m, err := c.source.Metrics()
	send := func(desc *prometheus.Desc, kind prometheus.ValueType, value float64, own ...string) {
		ch <- prometheus.MustNewConstMetric(desc, kind, value, append([]string{m.Engine}, own...)...)
	}
	if err != nil {
		// Not an invalid metric: that would spoil the scrape of all others.
		var closed *store.Error
		if errors.As(err, &closed) {
			m.Engine = closed.Engine
		}
		send(c.up, prometheus.GaugeValue, 0)
		return
	}
	send(c.up, prometheus.GaugeValue, 1)
	for i := range figures {
		f := &figures[i]
		if n, known := f.of(&m).Value(); known {
			send(c.figures[i], f.kind, float64(n)/f.unit)
		}
	}
	for i := range families {
		f := &families[i]
		f.each(&m, func(label string, n store.Figure) {
			if n, known := n.Value(); known {
				send(c.families[i], f.kind, float64(n), label)
			}
		})
	}
}
