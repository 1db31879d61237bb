#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes from options.def files: the option table and help texts (C), the man page, the bash completion.

usage: optgen.py --header H --source C --man-template IN --man OUT --completion-template IN --completion OUT
                 --version V [--backend NAME]... OPTIONS.DEF...

Build-time tool, standard library only. A mistake in a .def file ends the build with file, option and reason.
"""
import argparse
import configparser
import sys

OPTION_KEYS = {'short', 'argument', 'optional', 'type', 'complete', 'environment', 'default', 'commands', 'section',
               'help', 'details', 'field'}
COMMAND_KEYS = {'usage', 'summary'}
ADDITION_KEYS = {'complete', 'details'}
TYPES = {'switch': 'bool', 'text': 'const char *', 'list': 'const char *', 'number': 'long '}
COMPLETIONS = {'file', 'directory', 'backends', 'none'}  # or words: and the words
HELP_COLUMN = 26


class Mistake(Exception):
    pass


class Option:
    def __init__(self, name, values, commands):
        unknown = set(values) - OPTION_KEYS
        if unknown:
            raise Mistake('unknown key %s' % ', '.join(sorted(unknown)))
        for key in ('commands', 'section', 'help'):
            if not values.get(key):
                raise Mistake('no %s' % key)
        self.name = name.partition(' ')[0]
        self.field = values.get('field', self.name.replace('-', '_'))
        self.short = values.get('short', '')
        self.argument = values.get('argument', '')
        self.type = values.get('type', 'text') if self.argument else 'switch'
        self.optional = values.get('optional', '') == 'yes'
        self.complete = values.get('complete', 'none')
        self.environment = values.get('environment', '')
        self.default = values.get('default', '0')
        self.section = values['section']
        self.help = ' '.join(values['help'].split())
        self.details = ' '.join(values.get('details', '').split())
        words = values['commands'].split()
        self.commands = list(commands) if words == ['all'] else words
        self.check(values, commands)

    def check(self, values, commands):
        if len(self.short) > 1:
            raise Mistake('short is not one letter')
        if self.type not in TYPES or ('type' in values and not self.argument):
            raise Mistake('type does not fit')
        if self.complete not in COMPLETIONS and not self.complete.startswith('words:'):
            raise Mistake('unknown completion')
        if self.optional and (self.type != 'text' or values['optional'] != 'yes'):
            raise Mistake('only a text can be optional')
        if 'default' in values and self.type != 'number':
            raise Mistake('only a number has a default')
        if not self.default.isdigit():
            raise Mistake('default is not a number')
        for command in self.commands:
            if command not in commands:
                raise Mistake('unknown command %s' % command)

    def add(self, values):
        """What a backend has to say of an option that it did not define."""
        if not values or set(values) - ADDITION_KEYS:
            raise Mistake('an addition has complete or details, nothing else')
        if 'complete' in values and not self.complete.startswith('words:'):
            raise Mistake('only words can be added to')
        if 'complete' in values:
            self.complete += ' ' + values['complete']
        self.details = ' '.join((self.details + ' ' + values.get('details', '')).split())

    def spelling(self):
        text = '--' + self.name
        if self.short:
            text = '-%s, %s' % (self.short, text)
        else:
            text = '    ' + text
        return text + self.argument_text(self.argument)

    def argument_text(self, argument):
        """What stands behind the long name: an optional argument only behind an equals sign."""
        if not argument:
            return ''
        return '[=%s]' % argument if self.optional else ' ' + argument

    def sentence(self):
        """Help with what the parser adds by itself."""
        text = self.help
        if self.type == 'number' and self.default != '0':
            text += ' (default: %s)' % self.default
        return text


def names(option):
    """Spellings of an option on the command line."""
    return (['-' + option.short] if option.short else []) + ['--' + option.name]


def find(options, name):
    found = [option for option in options if option.name == name]
    if len(found) != 1:
        raise Mistake('there is no one option to add to')
    return found[0]


def read_definitions(paths):
    commands, options = {}, []
    for path in paths:
        parser = configparser.ConfigParser(interpolation=None, strict=True, delimiters=('=',), comment_prefixes=('#',))
        with open(path, encoding='utf-8') as file:
            parser.read_file(file)
        for title in parser.sections():
            kind, _, name = title.partition(' ')
            values = dict(parser.items(title))
            try:
                if kind == 'command':
                    if set(values) != COMMAND_KEYS:
                        raise Mistake('a command has usage and summary')
                    commands[name] = values
                elif kind == 'option':
                    options.append(Option(name, values, commands))
                elif kind == 'add':
                    find(options, name).add(values)
                else:
                    raise Mistake('neither an option nor a command, nor an addition to an option')
            except Mistake as mistake:
                raise Mistake('%s: [%s]: %s' % (path, title, mistake))
    check_names(options)
    return commands, options


def check_names(options):
    """An option means one thing in a command; options that share a field share its type."""
    seen, types = set(), {}
    for option in options:
        for name in names(option):
            for command in option.commands:
                if (name, command) in seen:
                    raise Mistake('%s is defined twice' % name)
                seen.add((name, command))
        if types.setdefault(option.field, option.type) != option.type:
            raise Mistake('--%s has two types: give one of them a field of its own' % option.name)


def sections(options):
    order = []
    for option in options:
        if option.section not in order:
            order.append(option.section)
    return [(title, [o for o in options if o.section == title]) for title in order]


def c_string(text):
    return '"%s"' % text.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n')


def of_command(options, command):
    return [option for option in options if command in option.commands]


def help_text(commands, options, command):
    lines = ['Usage: ' + commands[command]['usage']]
    if command == 'run':
        lines += ['       ' + values['usage'] for name, values in commands.items() if name != 'run']
    summary = commands[command]['summary']
    lines += ['', summary[0].upper() + summary[1:] + '.']
    for title, members in sections(of_command(options, command)):
        lines += ['', title + ':']
        for option in members:
            left = '  ' + option.spelling()
            if len(left) > HELP_COLUMN - 2:
                lines += [left, ' ' * HELP_COLUMN + option.sentence()]
            else:
                lines.append(left.ljust(HELP_COLUMN) + option.sentence())
    return '\n'.join(lines) + '\n'


def header(commands, options):
    out = ['/* Made by tools/optgen.py from options.def. */',
           '#ifndef SONDE_CLI_OPTIONS_GEN_H', '#define SONDE_CLI_OPTIONS_GEN_H', '', '#include <stdbool.h>', '',
           'enum command {']
    out += ['\tCOMMAND_%s,' % name for name in commands]
    out += ['\tCOMMAND_COUNT', '};', '', '/* Values of the options; lists are joined with commas, NULL: not given. */',
            'struct options {']
    for option in {option.field: option for option in reversed(options)}.values():
        kind = TYPES[option.type]
        out.append('\t%s%s%s; /* %s */' % (kind, '' if kind.endswith(('*', ' ')) else ' ', option.field, option.help))
    return '\n'.join(out + ['};', '', 'enum { OPTION_COUNT = %d };' % len(options), '', '#endif', ''])


def source(commands, options):
    out = ['/* Made by tools/optgen.py from options.def. */', '#include "cli/options.h"', '',
           'const struct command_row command_rows[COMMAND_COUNT] = {']
    for name in commands:
        help_lines = help_text(commands, options, name).splitlines(True)
        out += ['\t{', '\t\t.name = %s,' % c_string(name), '\t\t.help =']
        out += ['\t\t\t' + c_string(line) for line in help_lines]
        out += ['\t},']
    out += ['};', '', 'const struct option_row option_rows[] = {']
    for option in options:
        bits = ' | '.join('1u << COMMAND_%s' % command for command in option.commands)
        out.append('\t{ %s, %s, %s, OPTION_%s, %s, %s, offsetof(struct options, %s), %s },' % (
            c_string(option.name), "'%s'" % option.short if option.short else '0',
            c_string(option.environment) if option.environment else 'NULL', option.type.upper(),
            'true' if option.optional else 'false', option.default, option.field, bits))
    return '\n'.join(out + ['\t{ NULL, 0, NULL, OPTION_SWITCH, false, 0, 0, 0 }', '};', ''])


def roff(text):
    return text.replace('\\', '\\e').replace('-', '\\-')


def man_options(commands, options):
    out = []
    for title, members in sections(options):
        out.append('.SS ' + title)
        for option in members:
            argument = option.argument_text('\\fI%s\\fR' % roff(option.argument) if option.argument else '')
            out += ['.TP', ', '.join('\\fB%s\\fR' % roff(name) for name in names(option)) + argument]
            sentence = option.sentence()
            text = sentence[0].upper() + sentence[1:] + '.'
            if option.details:
                text += ' ' + option.details
            if len(option.commands) < len(commands):
                text += ' Only with %s.' % ' and '.join('\\fB%s\\fR' % name for name in option.commands)
            out.append(roff(text).replace('\\efB', '\\fB').replace('\\efR', '\\fR'))
    return '\n'.join(out)


def man_environment(options):
    out = []
    for option in options:
        if option.environment:
            out += ['.TP', '.B ' + option.environment]
            what = 'a value other than empty and 0 is the same as' if option.type == 'switch' else 'the argument of'
            out.append('Where the option is absent: %s \\fB\\-\\-%s\\fR.' % (what, roff(option.name)))
    return '\n'.join(out)


def completion_cases(commands, options):
    """Per command: all its options, and those of them that take an argument."""
    out = []
    for command in commands:
        members = of_command(options, command)
        words = [name for option in members for name in names(option)]
        taking = [name for option in members if option.argument and not option.optional for name in names(option)]
        out.append("\t%s) words='%s' taking='%s' ;;" % (command, ' '.join(words), '|'.join(taking)))
    return '\n'.join(out)


def completion_arguments(options, backends):
    """What the argument of an option is completed with."""
    actions = {'file': '_sonde_reply -f', 'directory': '_sonde_reply -d', 'none': ':',
               'backends': "_sonde_reply -W '%s'" % ' '.join(backends)}
    return '\n'.join('\t%s) %s; return ;;' % ('|'.join(names(option)), actions.get(option.complete) or
                     "_sonde_reply -W '%s'" % ' '.join(option.complete[len('words:'):].split()))
                     for option in options if option.argument and not option.optional)


def fill(template, values):
    """The template with every @MARK@ replaced; all of them have to be there."""
    with open(template, encoding='utf-8') as file:
        text = file.read()
    for mark, value in values.items():
        if '@%s@' % mark not in text:
            raise Mistake('%s: no @%s@' % (template, mark))
        text = text.replace('@%s@' % mark, value)
    return text


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def generate(arguments):
    commands, options = read_definitions(arguments.definitions)
    write(arguments.header, header(commands, options))
    write(arguments.source, source(commands, options))
    write(arguments.man, fill(arguments.man_template, {
        'OPTIONS': man_options(commands, options), 'ENVIRONMENT': man_environment(options),
        'VERSION': arguments.version}))
    write(arguments.completion, fill(arguments.completion_template, {
        'COMMANDS': ' '.join(name for name in commands if name != 'run'),
        'CASES': completion_cases(commands, options),
        'ARGUMENTS': completion_arguments(options, arguments.backend)}))


def main():
    parser = argparse.ArgumentParser()
    for name in ('header', 'source', 'man-template', 'man', 'completion-template', 'completion'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('--backend', action='append', default=[])
    parser.add_argument('--version', required=True)
    parser.add_argument('definitions', nargs='+')
    try:
        generate(parser.parse_args())
    except (Mistake, OSError, configparser.Error) as mistake:
        sys.exit('optgen.py: %s' % mistake)


if __name__ == '__main__':
    main()
