"""Ways to damage a file. Some know nothing of it, some know its form and damage what it says.

Every way takes a generator of random numbers and the bytes of a file, and returns other bytes.
"""

from __future__ import annotations

import ast
import json
import math
import re
import struct
import zlib
from collections.abc import Callable
from random import Random

import numpy as np

Way = Callable[[Random, bytes], bytes]
Files = dict[str, bytes]

WHOLE = [0, 1, -1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 128, 255, 256, 32767, 65535, 65536]
WHOLE += [
    sign * 2**n + more for n in (31, 32, 40, 53, 63, 64) for sign in (1, -1) for more in (0, -1)
]
WHOLE += [10**9, 10**12, 10**30, -(10**30)]
FLOATS = [0.5, -0.5, 1e-300, 1e-38, 1e38, 1e300, -1e300, math.nan, math.inf, -math.inf]
DEEP = "deep"  # stands for brackets within brackets
LONG_NUMBER = "long number"  # stands for one with more digits than Python reads
STRINGS = ["", "x", "fly", "cosine", "float32", "object", "O", "\0", "\ud800", "a" * 5000, "é蝇"]
DTYPES = ["F32", "F64", "I32", "I64", "U8", "U16", "U32", "U64", "BOOL", "BF16", "X9"]
DESCRS = [
    "<i4",
    "<i8",
    "|u1",
    "<f4",
    "<f8",
    ">i4",
    ">i8",
    "|O",
    "|S8",
    "<U4",
    "<M8[s]",
    "|V8",
    "|b1",
]


_TYPES = {"F32": "float32", "F64": "float64", "I32": "int32", "I64": "int64", "U8": "uint8"}
_TYPES |= {"U16": "uint16", "U32": "uint32", "U64": "uint64", "I8": "int8", "I16": "int16"}
_NO_LONGER = (ArithmeticError, AttributeError, LookupError, RecursionError, SyntaxError)
_NO_LONGER += (TypeError, ValueError, struct.error)


def mutate(random: Random, files: Files, ways: dict[str, list[Way]]) -> Files:
    """Return damaged files; ``ways`` are those of each ending, beside the ones for all."""
    damaged = dict(files)
    names = sorted(files)
    if len(names) > 1 and random.random() < 0.05:
        one, other = random.sample(names, 2)
        if random.random() < 0.5:
            del damaged[one]
        else:
            damaged[one], damaged[other] = damaged[other], damaged[one]
        return damaged
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        name = random.choice(names)
        of_form = [way for end, some in ways.items() if name.endswith(end) for way in some]
        way = random.choice(of_form if of_form and random.random() < 0.6 else BLIND)
        try:
            damaged[name] = way(random, damaged[name])
        except _NO_LONGER:
            # it was damaged before, and is no longer what this way knows
            damaged[name] = flip_bits(random, damaged[name])
    return damaged


# Ways that know nothing of the file


def flip_bits(random: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 8, 64])):
        if changed:
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def set_bytes(random: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice([1, 2, 4, 16])):
        if changed:
            changed[random.randrange(len(changed))] = random.choice([0, 1, 0x20, 0x7F, 0x80, 0xFF])
    return bytes(changed)


def set_number(random: Random, data: bytes) -> bytes:
    """Put a number of 2, 4 or 8 bytes somewhere."""
    number = random.choice(WHOLE) % 2**64
    size = random.choice([2, 4, 8])
    if len(data) < size:
        return data
    at = random.choice([0, random.randrange(len(data) - size + 1)])
    return data[:at] + struct.pack("<Q", number)[:size] + data[at + size :]


def truncate(random: Random, data: bytes) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def delete(random: Random, data: bytes) -> bytes:
    start, stop = sorted(random.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[min(stop, start + random.choice([1, 8, 64, len(data)])) :]


def insert(random: Random, data: bytes) -> bytes:
    size = random.choice([1, 2, 8, 64, 4096])
    new = random.choice(
        [random.randbytes(size), bytes(size), b"\xff" * size, b"1" * size, b"\n" * size]
    )
    at = random.randrange(len(data) + 1)
    return data[:at] + new + data[at:]


def splice(random: Random, data: bytes) -> bytes:
    """Copy a part of the file to another place."""
    start, stop = sorted(random.randrange(len(data) + 1) for _ in range(2))
    at = random.randrange(len(data) + 1)
    keep = at if random.random() < 0.5 else min(len(data), at + stop - start)
    return data[:at] + data[start:stop] + data[keep:]


def change_digits(random: Random, data: bytes) -> bytes:
    """Put another number where one is written in digits."""
    found = list(re.finditer(rb"-?\d+(\.\d+)?", data))
    if not found:
        return data
    at = random.choice([found[0], random.choice(found)])
    return data[: at.start()] + _as_text(random).encode() + data[at.end() :]


BLIND: list[Way] = [
    flip_bits,
    set_bytes,
    set_number,
    truncate,
    delete,
    insert,
    splice,
    change_digits,
]


# Text


def change_lines(random: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    place = random.randrange(len(lines))
    how = random.randrange(7)
    if how == 0:
        del lines[place]
    elif how == 1:
        lines.insert(place, lines[random.randrange(len(lines))])
    elif how == 2:
        random.shuffle(lines)
    elif how == 3:
        lines[place] = lines[place] * random.choice([2, 50])
    elif how == 4:
        fields = re.split(rb"([ \t,;:])", lines[place])
        del fields[random.randrange(len(fields))]
        lines[place] = b"".join(fields)
    elif how == 5:
        odd = random.choice(
            ["\ufeff", "\x85", "\u2028", "\0", "İ", "ﬀ", '"', "\ud800", "a" * 70000]
        )
        at = random.randrange(len(lines[place]) + 1)
        odd_bytes = odd.encode("utf-8", "surrogatepass")
        lines[place] = lines[place][:at] + odd_bytes + lines[place][at:]
    else:
        lines[place] = random.choice([b"", b"\r", b": x", b"#", b"\xff\xfe"])
    return b"\n".join(lines)


# JSON


def change_json(random: Random, data: bytes) -> bytes:
    return to_json(change_value(random, json.loads(data)))


def change_value(random: Random, content: object) -> object:
    """Return JSON with something in it changed, however deep."""
    places: list[tuple[object, object]] = []
    _collect(content, places)
    if not places:
        return _value(random)
    inside, key = random.choice(places)
    how = random.random()
    if how < 0.7 or not isinstance(inside, dict | list):
        inside[key] = _value(random)  # type: ignore[index]
    elif how < 0.85:
        del inside[key]  # type: ignore[arg-type]
    elif isinstance(inside, list):
        inside.append(_value(random))
    else:
        inside[random.choice([*STRINGS, *map(str, inside)])] = _value(random)
    return content


def to_json(content: object) -> bytes:
    text = json.dumps(content)
    text = text.replace(json.dumps(DEEP), "[" * 30_000 + "]" * 30_000)
    return text.replace(json.dumps(LONG_NUMBER), "9" * 6000).encode()


def _collect(content: object, places: list[tuple[object, object]]) -> None:
    if isinstance(content, dict | list):
        for key in list(content if isinstance(content, dict) else range(len(content))):
            places.append((content, key))
            _collect(content[key], places)


def _value(random: Random) -> object:
    return random.choice(
        [
            random.choice(WHOLE),
            random.choice(WHOLE),
            random.choice(FLOATS),
            random.choice(STRINGS),
            random.choice([None, True, False, [], {}, [[]], [1, 2], ["fly"], {"a": 1}]),
            random.choice([DEEP, LONG_NUMBER, list(range(2000))]),
        ]
    )


def _as_text(random: Random) -> str:
    return random.choice(
        [str(random.choice(WHOLE)), repr(random.choice(FLOATS)), "9" * 6000, "x", "", "1e9"]
    )


# Arrays


def change_numbers(random: Random, array: np.ndarray) -> np.ndarray:
    """Return an array with some numbers changed, to the ends of its type for some."""
    changed = array.copy()
    flat = changed.reshape(-1)
    if not flat.size:
        return changed
    if array.dtype.kind == "f":
        choices = [np.nan, np.inf, -np.inf, 0.0, -1.0, np.finfo(array.dtype).max, 1e-30]
    else:
        ends = np.iinfo(array.dtype)
        near = int(flat[random.randrange(flat.size)])
        choices = [ends.min, ends.max, 0, 1, len(flat), near + 1, near - 1, ends.max // 2]
        choices = [number for number in choices if ends.min <= number <= ends.max]
    for _ in range(random.choice([1, 1, 3, flat.size])):
        at = random.choice([0, -1, random.randrange(flat.size)])
        flat[at] = random.choice(choices)
    return changed


def change_safetensors(random: Random, data: bytes) -> bytes:
    """Change what the header, the metadata or the arrays say, and keep the rest sound."""
    (size,) = struct.unpack("<Q", data[:8])
    header, body = json.loads(data[8 : 8 + size]), bytearray(data[8 + size :])
    names = [name for name in header if name != "__metadata__"]
    how = random.random()
    if how < 0.4:
        described = json.loads(header["__metadata__"]["skfly"])
        described = change_value(random, described)
        header["__metadata__"]["skfly"] = to_json(described).decode()
    elif how < 0.75 and names:
        entry = header[random.choice(names)]
        start, stop = entry["data_offsets"]
        array = np.frombuffer(bytes(body[start:stop]), _TYPES[entry["dtype"]])
        body[start:stop] = change_numbers(random, array).tobytes()
    else:
        _change_header(random, header, names)
    new = to_json(header)
    changed = struct.pack("<Q", len(new)) + new + bytes(body)
    return sign(changed) if random.random() < 0.9 else changed


def _change_header(random: Random, header: dict, names: list[str]) -> None:
    name = random.choice(names)
    entry = header[name]
    how = random.randrange(6)
    if how == 0:
        entry["dtype"] = random.choice(DTYPES)
    elif how == 1:
        shape = entry["shape"]
        entry["shape"] = random.choice(
            [shape[::-1], [math.prod(shape)], [*shape, 1], [1, *shape], []]
        )
    elif how == 2:
        entry["shape"][random.randrange(len(entry["shape"]))] = random.choice(WHOLE)
    elif how == 3:
        entry["data_offsets"][random.randrange(2)] = random.choice(WHOLE)
    elif how == 4:
        header[random.choice([*names, *STRINGS[:4]])] = header.pop(name)
    else:
        change_value(random, header)


def change_npy(random: Random, data: bytes) -> bytes:
    """Change what the header or the numbers of an ``.npy`` file say."""
    (size,) = struct.unpack("<H", data[8:10])
    text, body = data[10 : 10 + size].decode("latin-1"), data[10 + size :]
    header = ast.literal_eval(text.strip())
    how = random.randrange(5)
    if how == 0:
        header["descr"] = random.choice(DESCRS)
    elif how == 1:
        header["shape"] = random.choice(
            [(random.choice(WHOLE),), (*header["shape"], 1), (), (2, header["shape"][0] // 2)]
        )
    elif how == 2:
        header["fortran_order"] = random.choice([True, None, 1])
    elif how == 3:
        return data[:10] + change_digits(random, data[10 : 10 + size]) + body
    else:
        array = np.frombuffer(body, header["descr"])
        return data[: 10 + size] + change_numbers(random, array).tobytes()
    new = repr(header).encode("latin-1") + b"\n"
    return data[:8] + struct.pack("<H", len(new)) + new + body


def sign(data: bytes) -> bytes:
    """Return a model file with the checksums that it needs: damage that none of them finds."""
    try:
        (size,) = struct.unpack("<Q", data[:8])
        header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
        described = json.loads(header["__metadata__"]["skfly"])
        content = json.dumps([described["version"], described["content"]], sort_keys=True)
        checksums = {"": zlib.crc32(content.encode())}
        for name in set(header) - {"__metadata__"}:
            entry = header[name]
            start, stop = entry["data_offsets"]
            form = f"{_TYPES[entry['dtype']]} {tuple(entry['shape'])}".encode()
            checksums[name] = zlib.crc32(body[start:stop], zlib.crc32(form))
        described["checksums"] = checksums
        header["__metadata__"]["skfly"] = json.dumps(described)
        new = json.dumps(header).encode()
    except _NO_LONGER:
        return data
    return struct.pack("<Q", len(new)) + new + body


def change_tar(random: Random, data: bytes) -> bytes:
    """Change a field of a member's header, and its checksum with it."""
    headers = [
        at for at in range(0, len(data) - 511, 512) if data[at + 257 : at + 262] == b"ustar"
    ]
    if not headers:
        return flip_bits(random, data)
    at = random.choice(headers)
    header = bytearray(data[at : at + 512])
    how = random.randrange(3)
    if how == 0:
        number = random.choice([0, 1, 511, 10**6, 8**10, 8**11 - 1])
        header[124:136] = b"%011o\0" % number
    elif how == 1:
        header[124:136] = b"\x80" + random.choice([2**40, 2**62, 2**80]).to_bytes(11, "big")
    else:
        header[156:157] = random.choice(
            [b"0", b"1", b"2", b"5", b"L", b"K", b"x", b"g", b"S", b"V"]
        )
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return data[:at] + bytes(header) + data[at + 512 :]
