"""Policies written in Python: slow, and quick to try."""

from __future__ import annotations

import ctypes
import inspect
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from larder import library, tasks
from larder.errors import LarderError
from larder.replay import Replay

if TYPE_CHECKING:
    from larder.traces import Trace

_INSERT, _REMOVE = 1, 2
_OBJECT = (1 << 32) - 1
# The arguments of `Policy.__init__`, which are passed by position.
_ARGUMENTS = ["capacity", "counts_bytes", "seed"]
# The most events at a time: the size of the library's buffers.
_EVENTS = 4096


class Policy:
    """A rule that decides which object a full cache gives up.

    Derive a class, and give it to `larder.simulate` beside the names of others. The simulator
    keeps what is resident and counts; the policy only decides. Objects are numbers from 1, in the
    order of first appearance. `larder.check_policy` tells whether a policy keeps its promises:

    - `evict` returns a resident object, which is then no longer resident.
    - `contains` is true from the `insert` of an object until its `evict` or `remove`. Simulations
      do not ask, checks do.
    - `remove` leaves nothing behind, whether or not the object is resident.
    - No decision depends on anything but the calls and the seed.

    Class attributes: `name` in results (the class's by default), `random` for one that uses the
    seed, `learns` for one that keeps what it learned from objects that were removed.
    """

    name: ClassVar[str | None] = None
    random: ClassVar[bool] = False
    learns: ClassVar[bool] = False

    def __init__(self, capacity: int, counts_bytes: bool, seed: int) -> None:
        """Makes a policy for an empty cache of `capacity` objects, or bytes."""
        self.capacity = capacity
        self.counts_bytes = counts_bytes
        self.seed = seed

    def contains(self, key: int) -> bool:
        """Whether an object is resident."""
        raise NotImplementedError

    def hit(self, key: int) -> None:
        """A resident object is requested."""
        raise NotImplementedError

    def evict(self) -> int:
        """Gives up one resident object and returns it."""
        raise NotImplementedError

    def insert(self, key: int, size: int) -> None:
        """A missing object is stored, once there is room for it."""
        raise NotImplementedError

    def remove(self, key: int) -> None:
        """An object is deleted or has expired. It may not be resident."""
        raise NotImplementedError

    def replace(self, key: int, size: int) -> None:
        """A resident object's value is replaced by one of `size`; by default a hit."""
        del size
        self.hit(key)


def check_policy(policy: type[Policy]) -> None:
    """Checks a policy against its contract, on a few hundred short random traces.

    Raises:
        ContractError: It breaks a rule; the message shows the shortest script that does.
        Exception: Whatever the policy raises.
    """
    PolicyCalls(policy).check()


class _Instance:
    """One cache's policy, with its methods looked up once."""

    def __init__(self, policy: Policy, setup: library.PolicySetup) -> None:
        self.policy = policy
        self.hit = policy.hit
        self.evict = policy.evict
        self.counts_bytes = bool(setup.counts_bytes)
        self.capacity = int(setup.capacity)
        self.events = _view(setup.events, ctypes.c_uint64)
        self.sizes = _view(setup.sizes, ctypes.c_uint32)
        self.replay: Replay | None = None

    def apply(self, count: int) -> None:
        """Tells the policy what happened."""
        hit = self.hit
        for place, event in enumerate(self.events[:count].tolist()):
            if event <= _OBJECT:
                hit(event)
            else:
                self._other(event, place)

    def _other(self, event: int, place: int) -> None:
        kind, key = event >> 32, event & _OBJECT
        if kind == _REMOVE:
            self.policy.remove(key)
            return
        size = int(self.sizes[place]) if self.counts_bytes else 1
        if kind == _INSERT:
            self.policy.insert(key, size)
        else:
            self.policy.replace(key, size)


class PolicyCalls:
    """The callbacks of one class of policies, for one call of the library."""

    def __init__(self, policy: type[Policy]) -> None:
        """Checks what can be checked before anything is run.

        Raises:
            TypeError: It is no policy, or its `__init__` has other arguments.
        """
        if not (isinstance(policy, type) and issubclass(policy, Policy)):
            raise TypeError(f"{policy!r} is not a class derived from larder.Policy")
        _check_arguments(policy)
        self._type = policy
        self._name = (policy.name or policy.__name__).encode()
        self._instances: dict[int, _Instance] = {}
        self._last = -1
        self._failure: BaseException | None = None
        self._objects = 0
        # Without it the engine replays, and asks for each decision.
        can_replay = library.python_functions() is not None
        self._callbacks = library.Callbacks(
            None,
            library.Create(self._create),
            library.Apply(self._apply),
            library.Contains(self._contains),
            library.Destroy(self._destroy),
            library.Replay(self._replay) if can_replay else library.Replay(),
        )

    def simulate(self, trace: Trace, lines: bytes, progress: bool | None) -> str:
        """The counts of the policy, as CSV."""
        text = library.Text()
        self._objects = trace.objects
        function = library.library().larder_policy_simulate
        self._run(
            lambda task: library.call(
                function,
                trace.handle,
                ctypes.byref(self._callbacks),
                self._name,
                lines,
                task,
                ctypes.byref(text),
            ),
            progress,
        )
        return library.take(text)

    def check(self) -> None:
        """Checks the contract."""
        lines = library.options(random=self._type.random, learns=self._type.learns)
        function = library.library().larder_policy_check
        self._run(
            lambda _: library.call(function, ctypes.byref(self._callbacks), self._name, lines),
            progress=False,
        )

    def _run(self, work: Any, progress: bool | None) -> None:  # noqa: ANN401
        try:
            tasks.run(work, self._name.decode(), progress)
        except LarderError:
            if self._failure is not None:
                raise self._failure from None
            raise

    # What a callback raises is kept, and raised by `_run`: the library cannot carry it.

    def _create(self, _context: object, setup: Any) -> int:  # noqa: ANN401
        try:
            given = setup.contents
            policy = self._type(given.capacity, bool(given.counts_bytes), given.seed)
            self._last += 1
            self._instances[self._last] = _Instance(policy, given)
        except BaseException as failure:  # noqa: BLE001
            return self._fail(failure)
        return self._last

    def _apply(self, _context: object, number: int, count: int, evict: int) -> int:
        try:
            instance = self._instances[number]
            if count:
                instance.apply(count)
            if not evict:
                return 0
            victim = instance.evict()
            if not 0 <= victim <= _OBJECT:
                raise ValueError(f"evict returned {victim}, which is no object")
        except BaseException as failure:  # noqa: BLE001
            return self._fail(failure)
        return victim

    def _replay(
        self,
        _context: object,
        number: int,
        objects: int,
        sizes: int | None,
        count: int,
        gets: Any,  # noqa: ANN401
    ) -> int:
        try:
            instance = self._instances[number]
            if instance.replay is None:
                instance.replay = Replay(
                    instance.policy, instance.capacity, instance.counts_bytes, self._objects
                )
            instance.replay.run(objects, sizes, count, gets.contents)
        except BaseException as failure:  # noqa: BLE001
            return self._fail(failure)
        return 0

    def _contains(self, _context: object, number: int, key: int) -> int:
        try:
            return int(bool(self._instances[number].policy.contains(key)))
        except BaseException as failure:  # noqa: BLE001
            return self._fail(failure)

    def _destroy(self, _context: object, number: int) -> None:
        self._instances.pop(number, None)

    def _fail(self, failure: BaseException) -> int:
        self._failure = self._failure or failure
        return -1


def _check_arguments(policy: type[Policy]) -> None:
    """Checks that a policy can be made from the arguments that it is given.

    Raises:
        TypeError: It cannot, or has them in another order.
    """
    try:
        signature = inspect.signature(policy)
    except ValueError:
        return  # Compiled code does not always say what it takes.
    names = list(signature.parameters)
    try:
        signature.bind(*_ARGUMENTS)
        fits = all(
            name not in _ARGUMENTS or names.index(name) == _ARGUMENTS.index(name) for name in names
        )
    except TypeError:
        fits = False
    if not fits:
        raise TypeError(
            f"{policy.__name__}.__init__ must take (self, {', '.join(_ARGUMENTS)}), "
            f"found {str(signature).replace('(', '(self, ', 1) if names else '(self)'}"
        )


def _view(address: int, element: Any, count: int = _EVENTS) -> np.ndarray[Any, Any]:  # noqa: ANN401
    """Elements of the library's, where they are."""
    return np.ctypeslib.as_array((element * count).from_address(address))
