package prometheus_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	lsmprom "github.com/lsmkit/lsmkit/metrics/prometheus"
	"github.com/lsmkit/lsmkit/store"
)

// dashboard is what is looked at of Grafana's format.
type dashboard struct {
	Title, UID    string
	SchemaVersion int
	Panels        []panel
	Templating    struct {
		List []struct{ Name, Type, Definition string }
	}
}

type panel struct {
	ID      int
	Type    string
	Title   string
	GridPos struct{ H, W, X, Y int }
	Targets []struct{ Expr, LegendFormat string }
}

// described returns the names of all metrics with their types' suffix.
func described(t *testing.T) map[string]*prometheus.Desc {
	t.Helper()
	name := regexp.MustCompile(`fqName: "(\w+)"`)
	ch := make(chan *prometheus.Desc)
	go func() {
		lsmprom.New((*source)(&store.Metrics{}), "one").Describe(ch)
		close(ch)
	}()
	all := map[string]*prometheus.Desc{}
	for d := range ch {
		all[name.FindStringSubmatch(d.String())[1]] = d
	}
	if len(all) < 35 {
		t.Fatalf("only %d metrics are described", len(all))
	}
	return all
}

// The dashboard asks for metrics that there are, and for all of them; with rate
// for counters and without for the others; and for the stores that were chosen.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../grafana/lsmkit.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.Title != "lsmkit" || d.UID != "lsmkit" || d.SchemaVersion < 30 || len(d.Panels) < 20 {
		t.Errorf("title %q, uid %q, schema %d, %d panels", d.Title, d.UID, d.SchemaVersion, len(d.Panels))
	}
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name)
	}
	if !slices.Equal(variables, []string{"datasource", "engine", "store"}) {
		t.Errorf("variables %v", variables)
	}
	known := described(t)
	shown := map[string]bool{}
	metric := regexp.MustCompile(`(rate\()?\b(lsmkit_\w+)(\{[^}]*\})?(\[\$__rate_interval\])?`)
	for _, p := range d.Panels {
		if (len(p.Targets) == 0) != (p.Type == "row") {
			t.Errorf("panel %q of type %s has %d targets", p.Title, p.Type, len(p.Targets))
		}
		for _, target := range p.Targets {
			found := metric.FindAllStringSubmatch(target.Expr, -1)
			if len(found) == 0 || !strings.Contains(target.LegendFormat, "{{store}}") {
				t.Errorf("panel %q: %s, %s", p.Title, target.Expr, target.LegendFormat)
			}
			for _, m := range found {
				shown[m[2]] = true
				if known[m[2]] == nil {
					t.Errorf("panel %q: there is no %s", p.Title, m[2])
				}
				if !strings.HasPrefix(m[3], `{engine=~"$engine",store=~"$store"`) {
					t.Errorf("panel %q: %s is not of the stores chosen", p.Title, m[0])
				}
				if counter := strings.HasSuffix(m[2], "_total"); (m[1] != "") != counter || (m[4] != "") != counter {
					t.Errorf("panel %q: %s", p.Title, m[0])
				}
			}
		}
	}
	for name := range known {
		if !shown[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
}

// Panels have numbers of their own, lie within the page, and don't overlap.
func TestDashboardLayout(t *testing.T) {
	text, err := os.ReadFile("../grafana/lsmkit.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	const width = 24
	ids := map[int]bool{}
	taken := map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("panel %q has number %d, as another", p.Title, p.ID)
		}
		ids[p.ID] = true
		g := p.GridPos
		if g.W < 1 || g.H < 1 || g.X < 0 || g.X+g.W > width {
			t.Errorf("panel %q lies at %+v", p.Title, g)
		}
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other, ok := taken[[2]int{x, y}]; ok {
					t.Fatalf("panels %q and %q overlap", other, p.Title)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}
