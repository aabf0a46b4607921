"""Two instructions that numba has no name for."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

_64, _128 = ir.IntType(64), ir.IntType(128)


def _load_eight(typing_context: Any, array: Any, place: Any) -> Any:  # noqa: ARG001
    """Return the eight bytes of an array of uint8 from a place on as one number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        pointer = cgutils.get_item_pointer(
            context,
            builder,
            kind,
            context.make_array(kind)(context, builder, arguments[0]),
            arguments[1:],
            wraparound=False,
        )
        return builder.load(builder.bitcast(pointer, _64.as_pointer()), align=1)

    return types.uint64(array, place), generate


def _multiply_high(typing_context: Any, left: Any, right: Any) -> Any:  # noqa: ARG001
    """Return the upper 64 bits of the product of two numbers of uint64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        wide = [builder.zext(argument, _128) for argument in arguments]
        product = builder.lshr(builder.mul(*wide), ir.Constant(_128, 64))
        return builder.trunc(product, _64)

    return types.uint64(types.uint64, types.uint64), generate


load_eight: Any = intrinsic(_load_eight)
multiply_high: Any = intrinsic(_multiply_high)
