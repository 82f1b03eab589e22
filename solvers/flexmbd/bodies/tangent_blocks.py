"""Vectors of three numbers, and entries of an element's tangent from blocks of nine numbers, row by row, that couple its vectors."""


def in_vectors(numbers):
    """Numbers as vectors of three."""
    return tuple(tuple(numbers[k : k + 3]) for k in range(0, len(numbers), 3))


def from_blocks(k, pairs, first=0):
    """Entries (row, column) -> Node of the blocks that couple the pairs of vectors, with columns from `first` on."""
    return {(3 * a + i, first + 3 * b + j): k[9 * n + 3 * i + j] for n, (a, b) in enumerate(pairs) for i in range(3) for j in range(3)}


def from_upper_blocks(k, pairs, first=0):
    """The same of a symmetric tangent, of which the blocks are those on and above the diagonal."""
    upper = {(i, j): x for (i, j), x in from_blocks(k, pairs).items() if i <= j}
    return {(i, first + j): x for (a, b), x in upper.items() for i, j in ((a, b), (b, a))}
