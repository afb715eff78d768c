"""How router-hosts marks its annotations and finalizers. Pure, and loaded before the CLI is started."""

ROUTER_HOSTS = "router-hosts.fzymgc.house"


def finalizer_advice(finalizers: str, otherwise: str) -> str:
    """What to do about a deletion that waits for these finalizers."""
    if f"{ROUTER_HOSTS}/" not in finalizers:
        return otherwise
    return "router-hosts lets it go when its operator has reached its server: see that both run"
