"""Two processor instructions that numba does not expose."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

_POINTER = ir.IntType(8).as_pointer()
_NUMBER = ir.IntType(32)
_FUNCTION = ir.FunctionType(ir.VoidType(), [_POINTER, _NUMBER, _NUMBER, _NUMBER])
_TO_READ, _KEEP, _DATA = 0, 3, 1


def _prefetch(typing_context: Any, array: Any, row: Any, column: Any) -> Any:  # noqa: ARG001
    """Prefetch ``array[row, column]`` of an int64 array into the first-level cache.

    It has no effect on results, only on waiting times.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        place = cgutils.get_item_pointer(
            context,
            builder,
            kind,
            context.make_array(kind)(context, builder, arguments[0]),
            arguments[1:],
            wraparound=False,
        )
        hint = cgutils.get_or_insert_function(builder.module, _FUNCTION, "llvm.prefetch.p0i8")
        options = [ir.Constant(_NUMBER, option) for option in (_TO_READ, _KEEP, _DATA)]
        builder.call(hint, [builder.bitcast(place, _POINTER), *options])
        return context.get_dummy_value()

    return types.void(array, row, column), generate


prefetch: Any = intrinsic(_prefetch)


def _trailing_zeros(typing_context: Any, word: Any) -> Any:  # noqa: ARG001
    """Return the position of the lowest set bit of a nonzero word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return word(word), generate


trailing_zeros: Any = intrinsic(_trailing_zeros)
