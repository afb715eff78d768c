"""The SDK's stack, less what it starts the CLI for without being asked."""

from datetime import UTC, datetime

from pulumi import automation as auto


class LeanStack(auto.Stack):
    """After an update the SDK starts the CLI three more times, for outputs and history, secrets decrypted.

    The event stream has told everything by then, so nothing is asked, and no secret is fetched into memory.
    """

    def outputs(self) -> auto.OutputMap:
        """Nothing: the recorder has them."""
        return {}

    def info(self, show_secrets: bool = False) -> auto.UpdateSummary:
        """A summary that says no more than that the update came to its end."""
        del show_secrets
        return auto.UpdateSummary("update", datetime.now(UTC), "", {}, {}, "succeeded")
