// Command one_pass makes one pass of ExternalDNS and ends: its own flags, source, plan and webhook provider, put
// together as its controller does. Its own program has the client of every cloud in it, which takes minutes to build.
package main

import (
	"context"
	"log"
	"os"

	"sigs.k8s.io/external-dns/endpoint"
	"sigs.k8s.io/external-dns/pkg/apis/externaldns"
	"sigs.k8s.io/external-dns/pkg/apis/externaldns/validation"
	"sigs.k8s.io/external-dns/plan"
	"sigs.k8s.io/external-dns/provider/webhook"
	"sigs.k8s.io/external-dns/registry/noop"
	"sigs.k8s.io/external-dns/source"
	"sigs.k8s.io/external-dns/source/annotations"
	"sigs.k8s.io/external-dns/source/wrappers"
)

func main() {
	if err := pass(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func pass(ctx context.Context, arguments []string) error {
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
	provider, err := webhook.New(ctx, config, nil)
	if err != nil {
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
	calculated := (&plan.Plan{
		Policies:       []plan.Policy{plan.Policies[config.Policy]},
		Current:        current,
		Desired:        desired,
		DomainFilter:   endpoint.MatchAllDomainFilters{registry.GetDomainFilter()},
		ManagedRecords: config.ManagedDNSRecordTypes,
		ExcludeRecords: config.ExcludeDNSRecordTypes,
		OwnerID:        registry.OwnerID(),
	}).Calculate()
	if !calculated.Changes.HasChanges() {
		return nil
	}
	return registry.ApplyChanges(ctx, calculated.Changes)
}
