"""Answers carry what they were given for."""

from dittoinfra.decide.observations import Answers, Fingerprints


def test_answers_for_a_refreshed_state_are_the_same_but_for_how_exactly_it_is_compared() -> None:
    given = Answers(Fingerprints(configuration={"a": "b"}), held="why")

    assert not given.inexact().given_for.exact
    assert given.inexact().given_for.configuration == {"a": "b"}
    assert given.inexact().held == "why"
