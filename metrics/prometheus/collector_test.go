package prometheus_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/lsmkit/lsmkit/leveldb"
	lsmprom "github.com/lsmkit/lsmkit/metrics/prometheus"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// stores opens one of each kind. Tests close them.
func stores(t *testing.T) map[string]store.DB {
	t.Helper()
	base := store.Options{CreateIfMissing: true}
	path := func(name string) string { return filepath.Join(t.TempDir(), name) }
	level, err := leveldb.Open(path("level"), &leveldb.Options{Options: base})
	if err != nil {
		t.Fatal(err)
	}
	rocks, err := rocksdb.Open(path("rocks"), &rocksdb.Options{Options: base})
	if err != nil {
		t.Fatal(err)
	}
	counting, err := rocksdb.Open(path("counting"), &rocksdb.Options{Options: base, Statistics: true})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]store.DB{"level": level, "rocks": rocks, "counting": counting, "memory": memstore.New()}
}

// samples scrapes an endpoint on loopback, and returns the values by metric and
// labels.
func samples(t *testing.T, r *prometheus.Registry) map[string]float64 {
	t.Helper()
	server := httptest.NewServer(promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		t.Fatalf("%s: %s", response.Status, text)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			values[name+labels(m)] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return values
}

// labels returns the values of a metric's labels, in the order of their names.
func labels(m *dto.Metric) string {
	var values []string
	for _, l := range m.GetLabel() {
		values = append(values, l.GetValue())
	}
	return "{" + strings.Join(values, ",") + "}"
}

// What stores have done arrives at who scrapes, under the store's name; what an
// engine doesn't tell does not.
func TestScrape(t *testing.T) {
	r := prometheus.NewRegistry()
	all := stores(t)
	for name, db := range all {
		r.MustRegister(lsmprom.New(db, name))
		for i := range 10 {
			if err := db.Put(fmt.Appendf(nil, "k%d", i), make([]byte, 98), store.Sync); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Flush(); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"k1", "k1", "none"} {
			if _, err := db.Has([]byte(key)); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := samples(t, r)
	for name, db := range all {
		engine := map[string]string{"level": "leveldb", "memory": "memstore"}[name]
		if engine == "" {
			engine = "rocksdb"
		}
		for metric, want := range map[string]float64{
			"up{%s,%s}":                        1,
			"operations_total{%s,put,%s}":      10,
			"operation_bytes_total{%s,put,%s}": 1000,
			"operations_total{%s,has,%s}":      3,
			"operation_items_total{%s,has,%s}": 2,
			"operations_total{%s,get,%s}":      0,
			"open_iterators{%s,%s}":            0,
		} {
			metric = "lsmkit_" + fmt.Sprintf(metric, engine, name)
			if v, ok := got[metric]; !ok || v != want {
				t.Errorf("%s: %v, %v, want %v", metric, v, ok, want)
			}
		}
		onDisk, isRocks := name != "memory", engine == "rocksdb"
		for metric, want := range map[string]bool{
			"wal_syncs_total{%s,%s}":          onDisk,
			"disk_bytes{%s,%s}":               onDisk,
			"level_files{%s,0,%s}":            onDisk,
			"pending_compaction_bytes{%s,%s}": isRocks,
			"stalled_seconds_total{%s,%s}":    true,
			"stall_state{%s,none,%s}":         true,
			"block_cache_hits_total{%s,%s}":   name == "counting",
			"estimated_keys{%s,%s}":           engine != "leveldb",
		} {
			metric = "lsmkit_" + fmt.Sprintf(metric, engine, name)
			if _, ok := got[metric]; ok != want {
				t.Errorf("%s is there: %v", metric, ok)
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Names, units, types and help texts are as Prometheus wants them.
func TestLint(t *testing.T) {
	for name, db := range stores(t) {
		r := prometheus.NewPedanticRegistry()
		r.MustRegister(lsmprom.New(db, name))
		problems, err := testutil.GatherAndLint(r)
		if err != nil {
			t.Error(err)
		}
		for _, p := range problems {
			t.Errorf("%s: %s: %s", name, p.Metric, p.Text)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A store that was closed is not up, and spoils nothing for the others.
func TestClosedStore(t *testing.T) {
	r := prometheus.NewRegistry()
	all := stores(t)
	for name, db := range all {
		r.MustRegister(lsmprom.New(db, name))
	}
	if err := all["rocks"].Close(); err != nil {
		t.Fatal(err)
	}
	for metric, v := range samples(t, r) {
		up := strings.HasPrefix(metric, "lsmkit_up{")
		if strings.Contains(metric, "rocks}") {
			if !up || v != 0 || metric != "lsmkit_up{rocksdb,rocks}" {
				t.Errorf("of the closed store: %s %v", metric, v)
			}
		} else if up && v != 1 {
			t.Errorf("%s %v", metric, v)
		}
	}
	for name, db := range all {
		if name != "rocks" {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// source tells what it is given.
type source store.Metrics

func (s *source) Metrics() (store.Metrics, error) { return store.Metrics(*s), nil }

// Each figure of store.Metrics is one metric, and nothing else is.
func TestEveryFigure(t *testing.T) {
	m := store.Metrics{Engine: "test", Levels: make([]store.LevelMetrics, 2)}
	n := 0
	visit(reflect.ValueOf(&m).Elem(), "", func(path string, f *store.Figure) {
		n++
		*f = store.Known(12_000_000_000)
		r := prometheus.NewRegistry()
		r.MustRegister(lsmprom.New((*source)(&m), "one"))
		found := samples(t, r)
		delete(found, "lsmkit_up{test,one}")
		if len(found) != 1 {
			t.Errorf("%s is told as %v", path, found)
		}
		for metric, v := range found {
			if want := map[bool]float64{true: 12, false: 12_000_000_000}[strings.Contains(metric, "_seconds")]; v != want {
				t.Errorf("%s is told as %s %v", path, metric, v)
			}
		}
		*f = store.Figure{}
	})
	if n < 50 {
		t.Errorf("found only %d figures", n)
	}
}

// A stall's state is one of three, and not told if it is not known.
func TestStallState(t *testing.T) {
	for state, want := range map[store.StallState]string{
		store.StallUnknown: "map[]",
		store.StallNone:    "map[delayed:0 none:1 stopped:0]",
		store.StallDelayed: "map[delayed:1 none:0 stopped:0]",
		store.StallStopped: "map[delayed:0 none:0 stopped:1]",
	} {
		m := store.Metrics{Engine: "test", Stalls: store.Stalls{State: state}}
		r := prometheus.NewRegistry()
		r.MustRegister(lsmprom.New((*source)(&m), "one"))
		got := map[string]float64{}
		for metric, v := range samples(t, r) {
			if rest, ok := strings.CutPrefix(metric, "lsmkit_stall_state{test,"); ok {
				got[strings.TrimSuffix(rest, ",one}")] = v
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v: %v, want %s", state, got, want)
		}
	}
}

func visit(v reflect.Value, path string, do func(path string, f *store.Figure)) {
	switch f, ok := v.Addr().Interface().(*store.Figure); {
	case ok:
		do(path, f)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			visit(v.Field(i), path+"."+v.Type().Field(i).Name, do)
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), fmt.Sprintf("%s[%d]", path, i), do)
		}
	}
}
