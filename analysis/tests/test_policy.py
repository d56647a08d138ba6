"""Policies in Python: they count as the engine's, keep the contract, and fail with their errors."""

import numpy as np
import pandas as pd
import pytest
from needs import needs_library
from policies import Absurd, Forgetful, Inventing, PythonFIFO, PythonLRU, Raising

import larder

pytestmark = needs_library


@pytest.fixture(scope="module")
def trace() -> larder.Trace:
    generator = np.random.default_rng(3)
    ids = generator.zipf(1.2, 20_000) % 997
    ops = generator.choice([0, 0, 0, 0, 1, 2], len(ids))
    return larder.Trace.from_arrays(
        ids,
        sizes=generator.integers(1, 100, len(ids)),
        times=np.arange(len(ids)),
        ops=ops,
        ttls=generator.integers(0, 500, len(ids)),
    )


@pytest.mark.parametrize(("policy", "engine"), [(PythonLRU, "lru"), (PythonFIFO, "fifo")])
@pytest.mark.parametrize(
    "extra", [{}, {"ignore_size": True}, {"admissions": ["always", "second-hit"]}]
)
def test_counts_are_the_engines(
    trace: larder.Trace, policy: type[larder.Policy], engine: str, extra: dict
) -> None:
    capacities = ["1%", "10%", "50%"]
    found = larder.simulate(trace, policy, capacities, **extra)
    expected = larder.simulate(trace, engine, capacities, **extra)
    assert set(found.policy) == {policy.name or policy.__name__}
    pd.testing.assert_frame_equal(found.drop(columns="policy"), expected.drop(columns="policy"))


@pytest.mark.parametrize(("policy", "engine"), [(PythonLRU, "lru"), (PythonFIFO, "fifo")])
@pytest.mark.parametrize("ignore_size", [True, False])
def test_gets_alone_count_the_same(
    policy: type[larder.Policy], engine: str, ignore_size: bool
) -> None:
    generator = np.random.default_rng(5)
    # More than one chunk, and some objects that are larger than the cache.
    ids = generator.zipf(1.2, 150_000) % 9973
    trace = larder.Trace.from_arrays(ids, sizes=1 + ids * 7919 % 3000)
    capacities = ["0.02%", "1%", "30%"]
    found = larder.simulate(trace, policy, capacities, ignore_size=ignore_size)
    expected = larder.simulate(trace, engine, capacities, ignore_size=ignore_size)
    pd.testing.assert_frame_equal(found.drop(columns="policy"), expected.drop(columns="policy"))
    assert ignore_size or expected.rejections[0] > 0


def test_policies_of_both_kinds_stand_side_by_side(trace: larder.Trace) -> None:
    table = larder.simulate(trace, ["lru", PythonLRU, "fifo", "sieve"], ["10%"])
    assert table.policy.tolist() == ["lru", "PythonLRU", "fifo", "sieve"]
    assert table.hits[0] == table.hits[1]


@pytest.mark.parametrize("policy", [PythonLRU, PythonFIFO])
def test_right_policies_keep_the_contract(policy: type[larder.Policy]) -> None:
    larder.check_policy(policy)


def test_a_broken_promise_is_shown() -> None:
    with pytest.raises(larder.ContractError, match="breaks the rule 'residency'") as caught:
        larder.check_policy(Forgetful)
    assert "fifo-in-python" in str(caught.value)
    assert caught.value.code == 1
    assert "\n" in str(caught.value)


def test_what_a_policy_raises_is_raised(trace: larder.Trace) -> None:
    with pytest.raises(ZeroDivisionError, match="no idea"):
        larder.simulate(trace, Raising, "10%")
    with pytest.raises(ZeroDivisionError, match="no idea"):
        larder.check_policy(Raising)


def test_wrong_victims_are_refused(trace: larder.Trace) -> None:
    with pytest.raises(larder.LarderError, match="evict returned 1000000, which is not resident"):
        larder.simulate(trace, Inventing, "10%")
    with pytest.raises(ValueError, match="evict returned -5, which is no object"):
        larder.simulate(trace, Absurd, "10%")
    gets = larder.Trace.from_arrays([1, 2, 3])
    for policy in (Inventing, Absurd):
        with pytest.raises(ValueError, match="which is not resident"):
            larder.simulate(gets, policy, 2)


def test_what_is_no_policy_is_refused(trace: larder.Trace) -> None:
    with pytest.raises(TypeError, match="not a class derived"):
        larder.simulate(trace, int, 5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="fetches take no time"):
        larder.simulate(trace, PythonLRU, 5, fetch="5ms")
    with pytest.raises(NotImplementedError):
        larder.simulate(trace, larder.Policy, "10%")


def made_by(body: str) -> type[larder.Policy]:
    """A policy whose `__init__` begins as given."""
    space: dict[str, object] = {"PythonLRU": PythonLRU}
    code = f"def __init__({body}): PythonLRU.__init__(self, 9, False, 1)"
    exec(f"class Made(PythonLRU):\n    {code}", space)
    return space["Made"]  # type: ignore[return-value]


@pytest.mark.parametrize(
    "arguments",
    [
        "self",
        "self, capacity",
        "self, capacity, counts_bytes",
        "self, capacity, counts_bytes, seed, window",
        "self, capacity, counts_bytes, *, seed",
        "self, capacity, seed, counts_bytes",
        "self, seed, *rest, capacity=1",
        "self, **options",
    ],
)
def test_wrong_arguments_of_init_are_one_line(trace: larder.Trace, arguments: str) -> None:
    policy = made_by(arguments)
    expected = r"^Made.__init__ must take \(self, capacity, counts_bytes, seed\), found \(self"
    for call in (
        lambda: larder.simulate(trace, ["lru", policy], "10%"),
        lambda: larder.check_policy(policy),
    ):
        with pytest.raises(TypeError, match=expected) as caught:
            call()
        assert str(caught.value).endswith(f"found ({arguments})")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        "self, capacity, counts_bytes, seed",
        "self, size, is_bytes, seed, window=100",
        "self, *rest",
        "self, capacity, *rest, **options",
        "self, capacity, counts_bytes=False, seed=1, /",
    ],
)
def test_any_init_that_takes_three_arguments_is_used(trace: larder.Trace, arguments: str) -> None:
    assert len(larder.simulate(trace, made_by(arguments), 9, ignore_size=True)) == 1


def test_an_error_of_init_itself_is_raised(trace: larder.Trace) -> None:
    class Failing(PythonLRU):
        def __init__(self, capacity: int, counts_bytes: bool, seed: int) -> None:
            super().__init__(capacity, counts_bytes, seed)
            raise TypeError("three lines\nof its\nown")

    with pytest.raises(TypeError, match="of its"):
        larder.simulate(trace, Failing, "10%")
