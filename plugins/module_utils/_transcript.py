# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the transcript that a layer's probe.sh prints when it is collected.

Private to the collection. The format is written by ``emit_encoded`` in roles/driver/files/probe.sh.
"""

from __future__ import annotations

import base64
import binascii
import typing as t

MARK = "@gpu.k8s "
FORMAT = "1"


class Record(t.TypedDict):
    """One command that the probe ran, as a person would have seen it.

    ``exit_code`` is None when the command was abandoned at its deadline. One that the budget of the whole probe cut
    short has no record.
    """

    command: str
    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool
    cut_off: bool


Records = dict[str, Record]


class TranscriptError(ValueError):
    """The output is not a whole transcript. ``records`` holds what could be read, None if no transcript began."""

    def __init__(self, message: str, records: Records | None) -> None:
        super().__init__(message)
        self.records = records


def parse(output: str) -> Records:
    """Return the records of a transcript by name, in their order.

    Lines before the transcript (a banner, a shell's greeting) are passed over.
    Raises TranscriptError when there is no transcript, when its end is missing, or when its time was used up.
    """
    records: Records = {}
    fields: dict[str, str] = {}
    encoding = "base64"
    started = False
    for line in output.splitlines():
        if not line.startswith(MARK):
            continue
        word, _space, rest = line[len(MARK) :].rstrip().partition(" ")
        if not started and word != "transcript":
            continue
        if word == "transcript":
            version, _space, encoding = rest.partition(" ")
            if version != FORMAT:
                raise TranscriptError(f"transcript format {version!r} is not {FORMAT}, which is read here", None)
            started = True
        elif word == "record":
            fields = {"name": rest}
        elif word == "end":
            name, record = _record(fields, encoding, records)
            records[name] = record
            fields = {}
        elif word == "complete":
            if rest != str(len(records)):
                raise TranscriptError(f"{rest} records were sent and {len(records)} arrived", records)
            if "out_of_time" in fields:
                budget, _space, names = fields["out_of_time"].partition(" ")
                late = ", ".join(names.split())
                raise TranscriptError(f"the probe's {budget} s were used up before these had ended: {late}", records)
            return records
        else:
            fields[word] = rest
    if not started:
        raise TranscriptError("no transcript in the output", None)
    raise TranscriptError(f"the transcript breaks off after {len(records)} records", records)


def _record(fields: dict[str, str], encoding: str, so_far: Records) -> tuple[str, Record]:
    try:
        exit_code = fields["exit_code"]
        stdout, stdout_cut = _stream(fields["stdout"], encoding)
        stderr, stderr_cut = _stream(fields["stderr"], encoding)
        return fields["name"], Record(
            command=_decode(fields["command"], encoding),
            exit_code=None if exit_code == "none" else int(exit_code),
            stdout=stdout,
            stderr=stderr,
            seconds=float(fields["seconds"]),
            timed_out=exit_code == "none",
            cut_off=stdout_cut or stderr_cut,
        )
    except (KeyError, ValueError) as error:
        raise TranscriptError(f"record {fields.get('name', '?')!r} is damaged: {error}", so_far) from error


def _stream(field: str, encoding: str) -> tuple[str, bool]:
    cut, _space, content = field.partition(" ")
    return _decode(content, encoding), cut == "cut_off"


def _decode(content: str, encoding: str) -> str:
    """Decode to text. Bytes that are not UTF-8 become U+FFFD, control characters but newline and tab are dropped."""
    if encoding == "hex":
        octets = bytes.fromhex(content)
    else:
        try:
            octets = base64.b64decode(content, validate=True)
        except binascii.Error as error:
            raise ValueError(f"not base64: {error}") from error
    text = octets.decode("utf-8", errors="replace").replace("\r\n", "\n")
    return "".join(c for c in text if c in "\n\t" or (c >= " " and c != "\x7f"))
