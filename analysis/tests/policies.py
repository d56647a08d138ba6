"""Policies in Python for tests: right ones, and each wrong in one way."""

from collections import OrderedDict

import larder


class PythonLRU(larder.Policy):
    """The least recently requested object goes first."""

    def __init__(self, capacity: int, counts_bytes: bool, seed: int) -> None:
        super().__init__(capacity, counts_bytes, seed)
        self.order: OrderedDict[int, None] = OrderedDict()
        self.hit = self.order.move_to_end  # type: ignore[method-assign]

    def contains(self, key: int) -> bool:
        return key in self.order

    def evict(self) -> int:
        return self.order.popitem(last=False)[0]

    def insert(self, key: int, size: int) -> None:
        del size
        self.order[key] = None

    def remove(self, key: int) -> None:
        self.order.pop(key, None)


class PythonFIFO(PythonLRU):
    """What was stored first goes first."""

    name = "fifo-in-python"

    def __init__(self, capacity: int, counts_bytes: bool, seed: int) -> None:
        super().__init__(capacity, counts_bytes, seed)
        del self.hit

    def hit(self, key: int) -> None:
        pass


class Forgetful(PythonFIFO):
    """Keeps what was removed."""

    def remove(self, key: int) -> None:
        pass


class Raising(PythonFIFO):
    """Raises when it should evict."""

    def evict(self) -> int:
        raise ZeroDivisionError("no idea")


class Inventing(PythonFIFO):
    """Evicts what is not there."""

    def evict(self) -> int:
        return 10**6


class Absurd(PythonFIFO):
    """Evicts what is no object."""

    def evict(self) -> int:
        return -5
