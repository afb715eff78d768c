"""Types of the inputs of components, nested ones included: `from dittoinfra.inputs import ApiSettings`."""

from dittoinfra.sdk.server_inputs import *  # noqa: F403 - every type there is public
