"""Instructions of processors that numba has no name for."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

_8, _32, _64, _128 = (ir.IntType(n_bits) for n_bits in (8, 32, 64, 128))
_PREFETCH = ir.FunctionType(ir.VoidType(), [_8.as_pointer(), _32, _32, _32])
_TO_READ, _KEEP, _DATA = 0, 3, 1
_instruction: Any = intrinsic  # its type would have users pass a typing context


@_instruction
def prefetch(typing_context, array, row, column):  # noqa: ARG001
    """Prefetch ``array[row, column]`` of an int64 array into the first-level cache.

    It has no effect on results, only on waiting times.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        hint = cgutils.get_or_insert_function(builder.module, _PREFETCH, "llvm.prefetch.p0i8")
        place = builder.bitcast(_item(context, builder, signature, arguments), _8.as_pointer())
        builder.call(hint, [place, *(ir.Constant(_32, n) for n in (_TO_READ, _KEEP, _DATA))])
        return context.get_dummy_value()

    return types.void(array, row, column), generate


@_instruction
def load_eight(typing_context, array, place):  # noqa: ARG001
    """Return the eight bytes of an array of uint8 from a place on as one number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _item(context, builder, signature, arguments)
        return builder.load(builder.bitcast(pointer, _64.as_pointer()), align=1)

    return types.uint64(array, place), generate


@_instruction
def store_eight(typing_context, array, place, eight):  # noqa: ARG001
    """Write the bytes of a number to an array of uint8 from a place on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _item(context, builder, signature, arguments[:2])
        builder.store(arguments[2], builder.bitcast(pointer, _64.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(array, place, types.uint64), generate


def _item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return a pointer to an item of the array that is the first argument."""
    kind = signature.args[0]
    array = context.make_array(kind)(context, builder, arguments[0])
    return cgutils.get_item_pointer(context, builder, kind, array, arguments[1:], wraparound=False)


@_instruction
def trailing_zeros(typing_context, word):  # noqa: ARG001
    """Return the position of the lowest set bit of a nonzero word."""
    return word(word), lambda _, builder, __, arguments: builder.cttz(
        arguments[0], ir.Constant(ir.IntType(1), 1)
    )


@_instruction
def popcount(typing_context, word):  # noqa: ARG001
    """Return the number of bits that are set."""
    return word(word), lambda _, builder, __, arguments: builder.ctpop(arguments[0])


@_instruction
def multiply_high(typing_context, left, right):  # noqa: ARG001
    """Return the upper 64 bits of the product of two numbers of uint64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        wide = [builder.zext(argument, _128) for argument in arguments]
        product = builder.lshr(builder.mul(*wide), ir.Constant(_128, 64))
        return builder.trunc(product, _64)

    return types.uint64(types.uint64, types.uint64), generate
