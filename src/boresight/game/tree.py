"""Prompts as a tree: a beginning that several prompts share is read once.

Coalitions in context order, orders of the passages, targets behind one prompt, a guest behind a trace's own
passages: all of them share beginnings, down to the token. The tree is laid out as packs of bounded size, a
pure function of the token ids of the segments. No tensor is touched here.

Sources: X. Miao et al., SpecInfer, 2024 (arXiv 2305.09781) for one sequence that holds a tree; L. Zheng et
al., SGLang, 2024 (arXiv 2312.07104) for the radix tree of shared beginnings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from boresight.models.packing import Ask, Pack, PackedBatch, PackLimits, Piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from boresight.models.seam import Request

Ids = tuple[int, ...]


@dataclass(slots=True, eq=False)
class Node:
    """A run of tokens behind its parent's; children differ in their first token.

    Attributes:
        ids: The tokens; none at the root.
        start: Place of the first of them in the prompt.
        children: Next runs by first token, in the order of their first appearance.
        asks: Predictions that the tokens make, with places that count from ``ids``.
    """

    ids: Ids
    start: int
    children: dict[int, Node] = field(default_factory=dict)
    asks: list[Ask] = field(default_factory=list)

    def insert(self, ids: Ids) -> None:
        """Add a sequence of tokens below this node."""
        node, at = self, 0
        while at < len(ids):
            child = node.children.get(ids[at])
            if child is None:
                node.children[ids[at]] = Node(ids[at:], node.start + len(node.ids))
                return
            shared = _shared(child.ids, ids[at : at + len(child.ids)])
            if shared < len(child.ids) and at + shared < len(ids):
                child.split(shared)
            node, at = child, at + shared

    def split(self, at: int) -> None:
        """Give what stands behind ``at`` to a child."""
        rest = Node(self.ids[at:], self.start + at, self.children)
        self.ids, self.children = self.ids[:at], {rest.ids[0]: rest}

    def cut(self, ids: Ids) -> None:
        """Let a node end where an inserted sequence goes on behind ``ids``; others can continue there."""
        for node in self.path(ids):
            inside = self.start + len(self.ids) + len(ids) - node.start
            if inside < len(node.ids):
                node.split(inside)

    def path(self, ids: Ids) -> Iterator[Node]:
        """The nodes that spell an inserted sequence; the last may go on behind it."""
        node, at = self, 0
        while at < len(ids):
            node = node.children[ids[at]]
            yield node
            at += len(node.ids)

    def walk(self) -> Iterator[tuple[Node, Node]]:
        """Every node below this one with its parent; each parent directly before its first child."""
        waiting = [(child, self) for child in reversed(self.children.values())]
        while waiting:
            node, parent = waiting.pop()
            yield node, parent
            waiting.extend((child, node) for child in reversed(node.children.values()))


def _shared(one: Ids, other: Ids) -> int:
    """Length of the common beginning."""
    if one == other:
        return len(one)
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def inputs(request: Request) -> Iterator[tuple[str, Ids, Ids]]:
    """Target id, tokens to read and tokens to predict; the last token of a target is never read."""
    prompt = request.prompt_ids
    for target in request.targets:
        if target.token_ids:
            yield target.id, prompt + target.token_ids[:-1], target.token_ids


def tree_of(requests: Iterable[Request]) -> Node:
    """The tree of all requests with all their targets."""
    root = Node((), 0)
    for request in requests:
        for _, ids, _ in inputs(request):
            root.insert(ids)
    return root


def tree_tokens(requests: Iterable[Request]) -> int:
    """Tokens that the tree of these requests reads."""
    return sum(len(node.ids) for node, _ in tree_of(requests).walk())


def branches(requests: Sequence[Request], most_tokens: int) -> list[list[int]]:
    """Group requests so that each group is a branch of their tree, or some neighbouring ones.

    A branch is cut where it has too many tokens, so groups repeat few of each other's beginnings.

    Args:
        requests: Prompts with their targets.
        most_tokens: Most tokens of a group, beginnings included; one prompt alone may have more.

    Returns:
        Index groups in the order of the tree; each index appears once.
    """
    root = Node((), 0)
    for request in requests:
        root.insert(request.prompt_ids)
    ends: dict[int, list[int]] = {}
    for index, request in enumerate(requests):
        last = next(reversed(list(root.path(request.prompt_ids))), root)
        ends.setdefault(id(last), []).append(index)
    targets = [sum(len(target.token_ids) for target in request.targets) for request in requests]
    return _Grouping(most_tokens, ends, targets).groups(root)


@dataclass(slots=True)
class _Grouping:
    """The cutting of a tree into branches.

    Attributes:
        most_tokens: Most tokens of a group.
        ends: Requests whose prompt ends at a node, by the node's ``id``.
        targets: Target tokens of each request.
    """

    most_tokens: int
    ends: dict[int, list[int]]
    targets: list[int]

    def groups(self, node: Node) -> list[list[int]]:
        """The groups below a node, its own requests first."""
        own = self.ends.get(id(node), [])
        before = node.start + len(node.ids)
        found = [list(own)]
        size = before + sum(self.targets[index] for index in own)
        for child in node.children.values():
            cost = self._cost(child)
            if before + cost > self.most_tokens:
                found += [*self.groups(child), []]
                size = before
            else:
                if size + cost > self.most_tokens:
                    found.append([])
                    size = before
                found[-1] += self._members(child)
                size += cost
        return [group for group in found if group]

    def _cost(self, node: Node) -> int:
        below = (self._own(inner) for inner, _ in node.walk())
        return self._own(node) + sum(below)

    def _own(self, node: Node) -> int:
        return len(node.ids) + sum(self.targets[index] for index in self.ends.get(id(node), ()))

    def _members(self, node: Node) -> list[int]:
        found = list(self.ends.get(id(node), ()))
        for inner, _ in node.walk():
            found += self.ends.get(id(inner), ())
        return found


def lay_out(requests: Sequence[Request], limits: PackLimits, guests: Sequence[Request] = ()) -> PackedBatch:
    """Lay requests out as packs.

    Guests continue what the requests read. Their packs come in between, right behind what they continue, so
    that the packs of the requests are the same with and without guests.

    Args:
        requests: Requests that belong together; each target at least one token.
        limits: Size of a pack.
        guests: More requests, listed behind the others in the batch.
    """
    root = tree_of(requests)
    for request in requests:  # guests continue the last passage, not the tail
        root.cut(request.prompt_ids[: -len(request.segments[-1].ids) or None])
    for index, request in enumerate(requests):
        _note_asks(root, index, request)
    layout = _Layout(limits, _guest_trees(root, guests, len(requests)))
    layout.add_tree(root, None)
    layout.close()
    return PackedBatch((*requests, *guests), tuple(layout.pieces), layout.packs())


def _note_asks(root: Node, index: int, request: Request, skipped: int = 0) -> None:
    """Write on the nodes below ``root``, which starts at place ``skipped``, what a request asks of them."""
    for target, ids, predicted in inputs(request):
        first_column = len(ids) - len(predicted)
        for node in root.path(ids[skipped:]):
            begin = max(node.start, first_column)
            end = min(node.start + len(node.ids), len(ids))
            if begin < end:
                first = begin - first_column
                wanted = predicted[first : first + end - begin]
                node.asks.append(Ask(index, target, first, wanted, -1, begin - node.start))


def _guest_trees(root: Node, guests: Sequence[Request], offset: int) -> dict[int, Node]:
    """Trees of the guests by the ``id`` of the node that they continue; own nodes are never split."""
    trees: dict[int, Node] = {}
    placed = []
    for index, guest in enumerate(guests):
        anchor, at = _deepest(root, guest.prompt_ids)
        tree = trees.setdefault(id(anchor), Node((), at))
        for _, ids, _ in inputs(guest):
            tree.insert(ids[at:])
        placed.append((tree, offset + index, guest, at))
    for tree, index, guest, at in placed:
        _note_asks(tree, index, guest, at)
    return trees


def _deepest(root: Node, ids: Ids) -> tuple[Node, int]:
    """The last node whose tokens begin ``ids`` in full without being all of them, and how many they are."""
    node, at = root, 0
    while at < len(ids):
        child = node.children.get(ids[at])
        if child is None or at + len(child.ids) >= len(ids) or child.ids != ids[at : at + len(child.ids)]:
            break
        node, at = child, at + len(child.ids)
    return node, at


@dataclass(slots=True)
class _Layout:
    """Packs under construction."""

    limits: PackLimits
    guests: dict[int, Node]
    pieces: list[Piece] = field(default_factory=list)
    done: list[tuple[list[int], list[Ask]]] = field(default_factory=list)
    waiting: list[tuple[Node, int | None]] = field(default_factory=list)
    tokens: int = 0
    predictions: int = 0
    members: list[int] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)

    def add_tree(self, root: Node, anchor: int | None) -> None:
        """Add all nodes below a root that continues piece ``anchor``."""
        last: dict[int, int | None] = {id(root): anchor}
        self._invite(root, anchor)
        for node, parent in root.walk():
            last[id(node)] = self._add_node(node, last[id(parent)])
            self._invite(node, last[id(node)])

    def _invite(self, node: Node, piece: int | None) -> None:
        """Remember the guests that continue a node, for when its pack is full."""
        tree = self.guests.get(id(node))
        if tree is not None:
            self.waiting.append((tree, piece))

    def _add_node(self, node: Node, parent: int | None) -> int | None:
        """Add a node, in several pieces where packs end; the index of its last piece."""
        at = 0
        while at < len(node.ids):
            size = self._room(node, at)
            if size == 0:
                self.close()
                continue
            parent = self._add_piece(node, at, size, parent)
            at += size
        return parent

    def _add_piece(self, node: Node, at: int, size: int, parent: int | None) -> int:
        index = len(self.pieces)
        asks = [cut for ask in node.asks if (cut := _cut(ask, at, at + size, index))]
        self.pieces.append(Piece(node.ids[at : at + size], node.start + at, parent))
        self.members.append(index)
        self.asks += asks
        self.tokens += size
        self.predictions += _columns(asks)
        return index

    def _room(self, node: Node, at: int) -> int:
        """How many tokens of a node fit into the open pack; an empty one takes at least one token."""
        size = min(len(node.ids) - at, self.limits.tokens - self.tokens)
        left = self.limits.predictions - self.predictions
        least = 0 if self.members else 1
        while size > least:
            excess = _columns(cut for ask in node.asks if (cut := _cut(ask, at, at + size, 0))) - left
            if excess <= 0:
                return size
            size = max(size - excess, least)  # a token less is at most one column less
        return size

    def close(self) -> None:
        """End the open pack, and let the guests of its pieces follow in packs of their own."""
        if self.members:
            self.done.append((self.members, self.asks))
            self.members, self.asks = [], []
            self.tokens = self.predictions = 0
        waiting, self.waiting = self.waiting, []
        for tree, piece in waiting:
            self.add_tree(tree, piece)
        if waiting:
            self.close()

    def packs(self) -> tuple[Pack, ...]:
        """The packs, each with what must be kept from earlier ones."""
        held: set[int] = set()
        found: list[Pack] = []
        for members, asks in reversed(self.done):
            inside = set(members)
            held |= {ancestor for piece in members for ancestor in self._ancestors(piece)}
            held -= inside
            found.append(Pack(tuple(sorted(held)), tuple(members), tuple(asks)))
        return tuple(reversed(found))

    def _ancestors(self, piece: int) -> Iterator[int]:
        parent = self.pieces[piece].parent
        while parent is not None:
            yield parent
            parent = self.pieces[parent].parent


def _columns(asks: Iterable[Ask]) -> int:
    """How many tokens of a piece predict something; several requests and targets may share one."""
    return len({place for ask in asks for place in range(ask.start, ask.start + len(ask.ids))})


def _cut(ask: Ask, start: int, stop: int, piece: int) -> Ask | None:
    """The part of an ask whose predicting tokens lie in ``start`` to ``stop`` of the node, or None."""
    begin, end = max(ask.start, start), min(ask.start + len(ask.ids), stop)
    if begin >= end:
        return None
    skip = begin - ask.start
    ids = ask.ids[skip : skip + end - begin]
    return Ask(ask.request, ask.target, ask.first + skip, ids, piece, begin - start)
