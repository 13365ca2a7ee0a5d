package prometheus_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	lsmprom "github.com/lsmkit/lsmkit/metrics/prometheus"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A program registers a collector for each of its stores, once.
func ExampleNew() {
	db := memstore.New() // or an engine's Open
	defer db.Close()
	registry := prometheus.NewRegistry()
	registry.MustRegister(lsmprom.New(db, "orders"))

	check(db.Put([]byte("k"), []byte("v"), store.Sync))

	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	defer server.Close()
	response, err := http.Get(server.URL)
	check(err)
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if line := lines.Text(); strings.HasPrefix(line, "lsmkit_up") || strings.Contains(line, `"put"`) {
			fmt.Println(line)
		}
	}
	// Output:
	// lsmkit_operation_bytes_total{engine="memstore",operation="put",store="orders"} 2
	// lsmkit_operation_items_total{engine="memstore",operation="put",store="orders"} 1
	// lsmkit_operations_total{engine="memstore",operation="put",store="orders"} 1
	// lsmkit_up{engine="memstore",store="orders"} 1
}
