#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generate the C of a backend from its descriptions. Runs in every build; Python 3.6, stdlib only.

    apigen.py backend FOLDER --kinds kinds.h --out DIR
        FOLDER/<api>.api, <api>.roles, <api>.args if it is there, attach.conf -> DIR/<api>_gen.h, <api>_table.c,
        <api>_fast.c, <api>_wrap.c, <api>_stubs.S, <api>_fake.c, <api>.md
    apigen.py attach --out FILE.c FOLDER...
        all attach.conf -> the launcher's table
    apigen.py names FOLDER --kinds kinds.h
        print every name that the wrapper object exports, its words (or "mixed") and its result

A mistake in an input is one line, FILE:LINE: TEXT, and exit status 1.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from api_args import Arguments  # noqa: E402
from api_attach import Attach, attach_text  # noqa: E402
from api_doc import doc_text  # noqa: E402
from api_fake import fake_text  # noqa: E402
from api_model import Api, ApiError, read_kinds, read_lines  # noqa: E402
from api_roles import RolesReader  # noqa: E402
from api_table import header_text, table_text  # noqa: E402
from api_wrap import Wrapper, write_wrappers  # noqa: E402


def load(folder, kinds_path):
    """Read one backend's descriptions."""
    name = os.path.basename(os.path.normpath(folder))
    api = Api(name, read_kinds(kinds_path))
    api.read_api(os.path.join(folder, name + ".api"))
    roles = os.path.join(folder, name + ".roles")
    RolesReader(api, roles).read(read_lines(roles))
    api.make_symbols()
    args = os.path.join(folder, name + ".args")
    api.arguments = Arguments(api)
    if os.path.exists(args):
        api.arguments.read(args, read_lines(args))
    return api


def write(path, text):
    with open(path, "w") as stream:
        stream.write(text)


def run_backend(options):
    api = load(options.folder, options.kinds)
    attach = Attach(os.path.join(options.folder, "attach.conf"))
    out = os.path.join(options.out, api.name)
    write(out + "_gen.h", header_text(api))
    write(out + "_table.c", table_text(api, attach))
    write_wrappers(api, lambda part: "%s_%s" % (out, part))
    write(out + "_fake.c", fake_text(api))
    write(out + ".md", doc_text(api))


def run_attach(options):
    attaches = [Attach(os.path.join(folder, "attach.conf")) for folder in sorted(options.folders)]
    write(options.out, attach_text(attaches))


def run_names(options):
    api = load(options.folder, options.kinds)
    for symbol in api.symbols:
        wrapper = Wrapper(api, symbol)
        mixed = set(wrapper.kinds) - {"rec_word"}
        for name in symbol.exports:
            print(name, "mixed" if mixed else len(wrapper.kinds), wrapper.result)


def main():
    parser = argparse.ArgumentParser(description="generate the C of a backend from its descriptions")
    commands = parser.add_subparsers(dest="command")
    backend = commands.add_parser("backend")
    backend.add_argument("folder")
    backend.add_argument("--kinds", required=True)
    backend.add_argument("--out", required=True)
    backend.set_defaults(run=run_backend)
    attach = commands.add_parser("attach")
    attach.add_argument("folders", nargs="+")
    attach.add_argument("--out", required=True)
    attach.set_defaults(run=run_attach)
    names = commands.add_parser("names")
    names.add_argument("folder")
    names.add_argument("--kinds", required=True)
    names.set_defaults(run=run_names)
    options = parser.parse_args()
    if not options.command:
        parser.error("a command is needed")
    try:
        options.run(options)
    except (ApiError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
