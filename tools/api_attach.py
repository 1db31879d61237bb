# SPDX-License-Identifier: BSD-3-Clause
"""Reads attach.conf of a backend, and writes the launcher's table of all of them.

attach.conf says how a runtime is reached: see docs/ADD-A-BACKEND.md and src/cli/attach.h.
"""
from string import Template

from api_model import ApiError, read_lines

TABLE = """/* SPDX-License-Identifier: BSD-3-Clause */
/* Made by tools/apigen.py from src/backends/<api>/attach.conf. */
#include <stddef.h>

#include "cli/attach.h"

$lists
const struct attach_backend attach_backends[] = {
$backends	{.name = NULL},
};
"""


WORDS = 4  # ATTACH_WORDS of attach.h
STATES = ("real hardware", "real runtime on CPU", "simulated", "not yet")


class Attach:
    """One attach.conf."""

    def __init__(self, path):
        self.path, self.name, self.layer, self.preload, self.perfetto_api = path, None, 0, None, 0
        self.front, self.runtime, self.launcher, self.exports, self.lookups = [], [], [], [], []
        self.env, self.rank, self.job, self.alias = [], [], [], []
        self.library, self.search, self.serialising, self.opened, self.state = [], [], [], [], None
        self.argument, self.device = [], []
        self.weak = self.controls = 0
        self.taken = self.adds = None
        self.off = [None, None]
        for self.line, text in read_lines(path):
            self.take(text.split())
        if not self.name or not (self.front or self.env):
            raise ApiError(path, 1, "'backend', and 'front' or 'env', are needed")

    def take(self, words):
        key, rest = words[0], words[1:]
        if words == ["controls"]:
            self.controls = 1
            return
        if not rest:
            raise ApiError(self.path, self.line, "'%s' needs a value" % key)
        if key == "backend":
            self.name = rest[0]
        elif key in ("layer", "perfetto_api"):
            setattr(self, key, int(rest[0]))
        elif key in ("preload", "taken", "adds"):
            setattr(self, key, rest[0])
        elif key == "state":
            if " ".join(rest) not in STATES:
                raise ApiError(self.path, self.line, "'state' is one of: %s" % ", ".join(STATES))
            self.state = " ".join(rest)
        elif key in ("front", "runtime", "launcher", "exports", "library", "search", "serialising", "opened",
                     "argument"):
            getattr(self, key).extend(rest)
        elif key == "lookups":
            self.lookups.extend(rest)
            self.exports.extend(rest)
        elif key == "env" and rest[0] in ("append", "words", "set") and len(rest) == 3:
            self.env.append((rest[1], rest[2], {"append": ":", "words": " ", "set": None}[rest[0]]))
        elif key == "off" and len(rest) == 2:
            self.off = rest
        elif key == "alias" and len(rest) == 3:
            self.alias.append(rest)
        elif words == ["weak", "ours"]:
            self.weak = 1
        elif key == "rank":
            self.rank.append(self.take_rank(rest))
        elif key == "job" and len(rest) <= WORDS:
            self.job.append(rest)
        elif key == "device":
            self.device.append(self.take_device(rest))
        else:
            raise ApiError(self.path, self.line, "cannot read '%s'" % " ".join(words))

    def take_device(self, words):
        shared, paths = words[0] == "shared", words[words[0] == "shared":]
        if not paths or len(paths) > WORDS or not all(path.startswith("/") for path in paths):
            raise ApiError(self.path, self.line, "'device' takes up to %d absolute paths" % WORDS)
        return paths, shared

    def take_rank(self, words):
        rank = {"rank": words[0]}
        for word in words[1:]:
            key, _, value = word.partition("=")
            if key not in ("size", "local_size", "local_rank", "needs") or not value:
                raise ApiError(self.path, self.line, "unknown companion '%s'" % word)
            rank[key] = value
        return rank


def quoted(text):
    return '"%s"' % text


def list_text(kind, name, rows, end):
    body = "".join("\t%s,\n" % row for row in rows)
    return "static const %s%s[] = {\n%s\t%s,\n};\n" % (kind, name, body, end)


def attach_text(attaches):
    """The C table of struct attach_backend."""
    lists, backends = [], []
    for attach in attaches:
        name = attach.name
        if not attach.state:
            raise ApiError(attach.path, 1, "'state' is needed: one of: %s" % ", ".join(STATES))
        lists.append(list_text("char *const ", name + "_front", map(quoted, attach.front), "NULL"))
        lists.append(list_text("char *const ", name + "_launcher", map(quoted, attach.launcher), "NULL"))
        lists.append(list_text("char *const ", name + "_library", map(quoted, attach.library or attach.front), "NULL"))
        lists.append(list_text("char *const ", name + "_search", map(quoted, attach.search), "NULL"))
        lists.append(list_text("char *const ", name + "_opened", map(quoted, attach.opened), "NULL"))
        lists.append(list_text("char *const ", name + "_argument", map(quoted, attach.argument), "NULL"))
        lists.append(list_text("struct attach_env ", name + "_env",
                               ["{%s, %s, %s}" % (quoted(k), quoted(v), quoted(by) if by else "NULL")
                                for k, v, by in attach.env],
                               "{NULL, NULL, NULL}"))
        lists.append(list_text("struct attach_rank ", name + "_rank", [
            "{%s}" % ", ".join(".%s = %s" % (k, quoted(r[k])) for k in sorted(r)) for r in attach.rank],
            "{.rank = NULL}"))
        lists.append(list_text("struct attach_job ", name + "_job", [
            "{{%s}}" % ", ".join(map(quoted, names)) for names in attach.job], "{{NULL}}"))
        lists.append(list_text("struct attach_device ", name + "_device", [
            "{{%s}, %d}" % (", ".join(map(quoted, paths)), shared) for paths, shared in attach.device], "{{NULL}, 0}"))
        lists.append(list_text("struct attach_alias ", name + "_alias", [
            "{%s}" % ", ".join(map(quoted, words)) for words in attach.alias], "{NULL, NULL, NULL}"))
        preload = quoted(attach.preload) if attach.preload else "NULL"
        backends.append("\t{%s, %s, %s_front, %s_env, %s_rank, %s_job, %s_alias, %s_launcher, %d, %d, %s,\n"
                        "\t %s, %s_library, %s_search, {%s, %s}, %s_opened, %s, %s_argument, %s_device},\n" % (
                            quoted(name), preload, name, name, name, name, name, name, attach.weak,
                            attach.controls, quoted(attach.taken) if attach.taken else "NULL",
                            quoted(attach.state), name, name,
                            *[quoted(word) if word else "NULL" for word in attach.off], name,
                            quoted(attach.adds) if attach.adds else "NULL", name, name))
    return Template(TABLE).substitute(lists="\n".join(lists), backends="".join(backends))
