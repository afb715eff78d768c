// Command one_pass makes one pass of ExternalDNS and ends: its own flags, source, plan and in-memory provider, put
// together as its controller does. Its own program has the client of every cloud in it, which takes minutes to build.
//
// Its first argument is a file that keeps the provider's records between passes, whichever version makes them; the
// others are flags of ExternalDNS.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log"
	"os"

	"sigs.k8s.io/external-dns/endpoint"
	"sigs.k8s.io/external-dns/pkg/apis/externaldns"
	"sigs.k8s.io/external-dns/pkg/apis/externaldns/validation"
	"sigs.k8s.io/external-dns/plan"
	"sigs.k8s.io/external-dns/provider/inmemory"
	"sigs.k8s.io/external-dns/registry/noop"
	"sigs.k8s.io/external-dns/source"
	"sigs.k8s.io/external-dns/source/annotations"
	"sigs.k8s.io/external-dns/source/wrappers"
)

// zone is what the file holds.
type zone struct {
	Records []*endpoint.Endpoint `json:"records"`
	// Deleted has the names of the records that were deleted by any pass, in order.
	Deleted []string `json:"deleted"`
}

func main() {
	if err := pass(context.Background(), os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func pass(ctx context.Context, file string, arguments []string) error {
	config := externaldns.NewConfig()
	if err := config.ParseFlags(arguments); err != nil {
		return err
	}
	if err := validation.ValidateConfig(config); err != nil {
		return err
	}
	annotations.SetAnnotationPrefix(config.AnnotationPrefix)
	sources, err := source.NewSourceConfig(config)
	if err != nil {
		return err
	}
	wanted, err := wrappers.Build(ctx, sources)
	if err != nil {
		return err
	}
	kept, err := read(file)
	if err != nil {
		return err
	}
	provider, err := inmemory.New(ctx, config, endpoint.NewDomainFilter(nil))
	if err != nil {
		return err
	}
	if err := provider.ApplyChanges(ctx, &plan.Changes{Create: kept.Records}); err != nil {
		return err
	}
	registry, err := noop.New(config, provider)
	if err != nil {
		return err
	}
	current, err := registry.Records(ctx)
	if err != nil {
		return err
	}
	found, err := wanted.Endpoints(ctx)
	if err != nil {
		return err
	}
	desired, err := registry.AdjustEndpoints(found)
	if err != nil {
		return err
	}
	changes := (&plan.Plan{
		Policies:       []plan.Policy{plan.Policies[config.Policy]},
		Current:        current,
		Desired:        desired,
		DomainFilter:   endpoint.MatchAllDomainFilters{registry.GetDomainFilter()},
		ManagedRecords: config.ManagedDNSRecordTypes,
		ExcludeRecords: config.ExcludeDNSRecordTypes,
		OwnerID:        registry.OwnerID(),
	}).Calculate().Changes
	if changes.HasChanges() {
		if err := registry.ApplyChanges(ctx, changes); err != nil {
			return err
		}
	}
	for _, record := range changes.Delete {
		kept.Deleted = append(kept.Deleted, record.DNSName)
	}
	if kept.Records, err = provider.Records(ctx); err != nil {
		return err
	}
	return write(file, kept)
}

func read(file string) (zone, error) {
	var kept zone
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return kept, err
	}
	return kept, json.Unmarshal(content, &kept)
}

func write(file string, kept zone) error {
	content, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}
