"""What an engine is told so that it uses the stand-in, and only the stand-in."""

from lab.standin import StandInProvider


def test_an_engine_that_is_attached_does_not_download_what_it_would_not_use() -> None:
    with StandInProvider() as provider:
        told = provider.environment()

    assert told == {
        "PULUMI_DEBUG_PROVIDERS": f"kubernetes:{provider.port}",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }
