#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pftrace.py [--loose] [--dump] FILE...: reads Perfetto traces and checks what must hold of a timeline.

A decoder of our own, independent of the encoder: the wire format of protocol buffers and the numbers of Perfetto's
public definitions. Prints counts as JSON, or with --dump one line per slice, sorted by track and time. Exit status 1
and a line per finding when something does not hold. --loose: launches and executions may lack each other.
"""
import gzip
import json
import struct
import sys

# message: {field: (name, type)}; types: u varint, f fixed64, s text, b bytes, or the name of a message
SCHEMA = {
    'Packet': {6: ('clocks', 'Snapshot'), 8: ('time', 'u'), 10: ('sequence', 'u'), 11: ('event', 'Event'),
               12: ('interned', 'Interned'), 13: ('flags', 'u'), 45: ('system', 'System'), 53: ('stage', 'Stage'),
               58: ('clock', 'u'), 59: ('defaults', 'Defaults'), 60: ('track', 'Track'), 98: ('machine', 'u'),
               126: ('attributes', 'Attributes'), 128: ('gpus', 'Gpus')},
    'Snapshot': {1: ('clock', 'Clock')},
    'Clock': {1: ('id', 'u'), 2: ('time', 'u')},
    'Defaults': {58: ('clock', 'u'), 11: ('event', 'EventDefaults')},
    'EventDefaults': {11: ('track', 'u')},
    'System': {17: ('name', 's')},
    'Attributes': {1: ('attribute', 'Attribute')},
    'Attribute': {1: ('key', 's'), 2: ('number', 'u'), 3: ('text', 's')},
    'Gpus': {1: ('gpu', 'Gpu')},
    'Gpu': {1: ('name', 's'), 6: ('info', 'Pair')},
    'Pair': {1: ('key', 's'), 2: ('value', 's')},
    'Track': {1: ('uuid', 'u'), 2: ('name', 's'), 3: ('process', 'Process'), 4: ('thread', 'Thread'),
              5: ('parent', 'u'), 8: ('counter', 'Counter'), 11: ('order', 'u'), 12: ('rank', 'u'),
              14: ('description', 's'), 19: ('processes', 'u'), 20: ('threads', 'u')},
    'Process': {1: ('pid', 'u'), 2: ('command', 's'), 6: ('name', 's')},
    'Thread': {1: ('pid', 'u'), 2: ('tid', 'u'), 5: ('name', 's')},
    'Counter': {3: ('unit', 'u'), 6: ('unit_name', 's'), 7: ('share', 's')},
    'Event': {3: ('category', 'u'), 4: ('note', 'Note'), 9: ('type', 'u'), 10: ('name', 'u'), 11: ('track', 'u'),
              30: ('value', 'u'), 44: ('double', 'f'), 47: ('flow', 'f'), 48: ('flow_end', 'f'),
              3000: ('correlation', 'Correlation')},
    'Correlation': {1: ('submitted', 'u')},
    'Note': {1: ('name', 'u'), 2: ('bool', 'u'), 3: ('uint', 'u'), 4: ('int', 'u'), 5: ('double', 'f'),
             6: ('text', 's'), 7: ('pointer', 'u'), 12: ('array', 'Note'), 17: ('word', 'u')},
    'Interned': {1: ('categories', 'Name'), 2: ('names', 'Name'), 3: ('notes', 'Name'), 23: ('contexts', 'Context'),
                 24: ('stages', 'StageName'), 29: ('words', 'Bytes'), 1000: ('kernels', 'Name'),
                 1001: ('arguments', 'Name')},
    'Name': {1: ('id', 'u'), 2: ('name', 's')},
    'Bytes': {1: ('id', 'u'), 2: ('name', 's')},
    'Context': {1: ('id', 'u'), 2: ('pid', 'u'), 3: ('api', 'u')},
    'StageName': {1: ('id', 'u'), 2: ('name', 's'), 4: ('category', 'u')},
    'Stage': {1: ('id', 'u'), 2: ('duration', 'u'), 5: ('context', 'u'), 11: ('gpu', 'u'), 13: ('queue', 'u'),
              14: ('stage', 'u'), 19: ('kernel', 'u'), 20: ('name', 'u'), 21: ('launch', 'Launch')},
    'Launch': {1: ('grid', 'Extent'), 2: ('block', 'Extent'), 3: ('argument', 'Argument')},
    'Extent': {1: ('x', 'u'), 2: ('y', 'u'), 3: ('z', 'u')},
    'Argument': {1: ('name', 'u'), 3: ('int', 'u'), 4: ('uint', 'u'), 6: ('text', 's')},
}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
OFFSET_CLOCK = 64


class Bad(Exception):
    pass


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            if value >= 1 << 64:
                raise Bad('a varint has more than 64 bits')
            return value, at
        shift += 7


def decode(data, kind):
    """{field name: [values]} of a message; unknown fields are findings, because nobody else writes here."""
    message, at = {}, 0
    fields = SCHEMA[kind]
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if number not in fields:
            raise Bad('%s has a field %d' % (kind, number))
        name, what = fields[number]
        if wire != {'u': 0, 'f': 1}.get(what, 2):
            raise Bad('%s.%s has wire type %d' % (kind, name, wire))
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from('<Q', data, at)[0], at + 8
        else:
            length, at = varint(data, at)
            if at + length > len(data):
                raise Bad('%s.%s is cut off' % (kind, name))
            value, at = data[at:at + length], at + length
            value = value.decode('utf-8') if what == 's' else decode(value, what)
        message.setdefault(name, []).append(value)
    return message


def packets(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as file:
        data = file.read()
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag != 0x0a:
            raise Bad('byte %d is no packet' % at)
        length, at = varint(data, at)
        if at + length > len(data):
            raise Bad('the last packet is cut off')
        yield decode(data[at:at + length], 'Packet')
        at += length


def one(message, name, default=None):
    values = message.get(name, [])
    if len(values) > 1:
        raise Bad('%s is there %d times' % (name, len(values)))
    return values[0] if values else default


class Sequence:
    def __init__(self):
        self.names = {}
        self.track = None
        self.clock = self.base = None

    def name(self, kind, number):
        if (kind, number) not in self.names:
            raise Bad('%s %d is used before its definition' % (kind, number))
        return self.names[kind, number]


class Slice:
    def __init__(self, track, name, category, begin, depth, parent):
        self.track, self.name, self.category, self.begin = track, name, category, begin
        self.depth, self.parent = depth, parent
        self.end = None
        self.notes = {}


class Trace:
    def __init__(self, path):
        self.sequences, self.tracks, self.open, self.last = {}, {}, {}, {}
        self.slices, self.instants, self.counters, self.stages = [], [], [], []
        self.flows, self.flow_ends, self.submitted = [], [], []
        self.machines, self.attributes, self.packets, self.gpus = {}, {}, 0, {}
        for packet in packets(path):
            self.packets += 1
            self.take(packet)
        for track, stack in self.open.items():
            if stack and self.track_name(track) == 'ranges of the process':
                stack.pop().end = max(self.last.values()) # nobody ended it: viewers draw it to the end of the file
            if stack:
                raise Bad('%d slices of %s do not end' % (len(stack), self.track_name(track)))

    def track_name(self, uuid):
        track = self.tracks[uuid]
        if 'thread' in track:
            thread = track['thread'][0]
            return '%d/%d' % (thread['pid'][0], thread['tid'][0])
        return one(track, 'name', '?')

    def take(self, packet):
        machine = one(packet, 'machine', 0)
        sequence = self.sequences.setdefault((machine, one(packet, 'sequence', 0)), Sequence())
        flags = one(packet, 'flags', 0)
        if not one(packet, 'sequence'):
            raise Bad('a packet has no sequence')
        if flags & 1:
            sequence.names = {}
        if 'defaults' in packet:
            defaults = packet['defaults'][0]
            sequence.clock = one(defaults, 'clock')
            sequence.track = one(one(defaults, 'event', {}), 'track')
        if 'clocks' in packet:
            clocks = {clock['id'][0]: clock['time'][0] for clock in packet['clocks'][0]['clock']}
            if set(clocks) != {OFFSET_CLOCK, 6} or clocks[OFFSET_CLOCK] or sequence.base is not None:
                raise Bad('the clock of a sequence is not what it should be: %s' % clocks)
            sequence.base = clocks[6]
        for kind, entries in one(packet, 'interned', {}).items():
            for entry in entries:
                if not entry['id'][0] or (kind, entry['id'][0]) in sequence.names:
                    raise Bad('%s %s is defined twice' % (kind, entry['id']))
                sequence.names[kind, entry['id'][0]] = entry
        if 'track' in packet:
            self.take_track(packet['track'][0], machine)
        if 'system' in packet:
            self.machines[machine] = packet['system'][0]['name'][0]
        if 'gpus' in packet:
            self.gpus[machine] = [gpu['name'][0] for gpu in packet['gpus'][0].get('gpu', [])]
        for attribute in one(packet, 'attributes', {}).get('attribute', []):
            self.attributes[attribute['key'][0]] = one(attribute, 'text', one(attribute, 'number'))
        if 'event' in packet or 'stage' in packet:
            if sequence.clock != OFFSET_CLOCK or sequence.base is None or not flags & 2:
                raise Bad('an event comes before the clock of its sequence')
            time = one(packet, 'time')
            if time is None or time >= 1 << 62:
                raise Bad('time %s' % time)
            if 'event' in packet:
                self.take_event(packet['event'][0], sequence, time)
            else:
                self.take_stage(packet['stage'][0], sequence, time, machine)

    def take_track(self, track, machine):
        uuid = one(track, 'uuid', 0)
        if uuid in self.tracks:
            raise Bad('track %d (%s) is described twice' % (uuid, one(track, 'name')))
        parent = one(track, 'parent')
        if parent and parent not in self.tracks:
            raise Bad('track %s comes before its parent' % one(track, 'name'))
        track['machine'] = machine
        self.tracks[uuid] = track

    def notes(self, event, sequence):
        return {sequence.name('notes', one(note, 'name'))['name'][0]: self.note(note, sequence)
                for note in event.get('note', [])}

    def note(self, note, sequence):
        if 'array' in note:
            return [self.note(element, sequence) for element in note['array']]
        if 'word' in note:
            return sequence.name('words', note['word'][0])['name'][0]
        for kind, value in note.items():
            if kind == 'int':
                return value[0] - (1 << 64 if value[0] >> 63 else 0)
            if kind == 'double':
                return struct.unpack('<d', struct.pack('<Q', value[0]))[0]
            if kind != 'name':
                return bool(value[0]) if kind == 'bool' else value[0]
        return []

    def take_event(self, event, sequence, time):
        track = one(event, 'track', sequence.track)
        kind = one(event, 'type')
        if track not in self.tracks:
            raise Bad('an event comes before its track')
        if kind == COUNTER:
            if 'counter' not in self.tracks[track]:
                raise Bad('a counter has no counter track')
            value = one(event, 'value')
            if 'double' in event:
                value = struct.unpack('<d', struct.pack('<Q', event['double'][0]))[0]
            self.counters.append((self.track_name(track), time, value))
            return
        if time < self.last.get(track, 0):
            raise Bad('%s goes back in time' % self.track_name(track))
        self.last[track] = time
        stack = self.open.setdefault(track, [])
        name = sequence.name('names', event['name'][0])['name'][0] if 'name' in event else None
        if kind == END:
            if not stack:
                raise Bad('an end on %s has no begin' % self.track_name(track))
            stack.pop().end = time
        elif kind == INSTANT:
            self.instants.append((self.track_name(track), name, time, self.notes(event, sequence)))
        else:
            category = sequence.name('categories', event['category'][0])['name'][0] if 'category' in event else ''
            piece = Slice(track, name, category, time, len(stack), stack[-1] if stack else None)
            piece.notes = self.notes(event, sequence)
            piece.flow = event.get('flow', [])
            self.flows += piece.flow
            self.flow_ends += event.get('flow_end', [])
            self.submitted += one(event, 'correlation', {}).get('submitted', [])
            stack.append(piece)
            self.slices.append(piece)

    def take_stage(self, stage, sequence, time, machine):
        launch = one(stage, 'launch', {})
        entry = {
            'id': one(stage, 'id'), 'begin': time, 'end': time + one(stage, 'duration'), 'gpu': one(stage, 'gpu'),
            'machine': machine, 'queue': sequence.name('stages', one(stage, 'queue'))['name'][0],
            'stage': sequence.name('stages', one(stage, 'stage'))['name'][0],
            'name': sequence.name('names', one(stage, 'name'))['name'][0],
            'context': sequence.name('contexts', one(stage, 'context'))['pid'][0],
            'api': one(sequence.name('contexts', one(stage, 'context')), 'api', 0),
            'kernel': sequence.name('kernels', one(stage, 'kernel'))['name'][0] if 'kernel' in stage else None}
        for extent in set(launch) & {'grid', 'block'}:
            entry[extent] = [one(one(launch, extent), axis) for axis in 'xyz']
        for argument in launch.get('argument', []):
            value = one(argument, 'int', one(argument, 'uint', one(argument, 'text')))
            entry[sequence.name('arguments', one(argument, 'name'))['name'][0]] = value
        self.stages.append(entry)


def check(trace, loose):
    """What must hold, as sentences; reading has already checked order, definitions and pairs."""
    found = []
    for piece in trace.slices:
        if piece.end < piece.begin or (piece.parent and piece.end > piece.parent.end):
            found.append('%s [%d, %d] is not inside the slice around it' % (piece.name, piece.begin, piece.end))
        if piece.depth and 'thread' not in trace.tracks[piece.track]:
            found.append('%s overlaps another slice of its row' % piece.name)
    for what, ids in (('flow', trace.flows), ('end of flow', trace.flow_ends), ('submission', trace.submitted),
                      ('execution', [stage['id'] for stage in trace.stages])):
        if len(set(ids)) != len(ids):
            found.append('a %s is there twice' % what)
    executions = {stage['id'] for stage in trace.stages if stage['id'] >> 62 != 1}
    if not loose and set(trace.flows) != set(trace.flow_ends):
        found.append('%d flows have one end only' % len(set(trace.flows) ^ set(trace.flow_ends)))
    if not loose and set(trace.submitted) != executions:
        found.append('%d launches or executions lack each other' % len(set(trace.submitted) ^ executions))
    threads = [(track['machine'], track['thread'][0]['pid'][0], track['thread'][0]['tid'][0])
               for track in trace.tracks.values() if 'thread' in track]
    processes = {(track['machine'], track['process'][0]['pid'][0])
                 for track in trace.tracks.values() if 'process' in track}
    if len(set(threads)) != len(threads):
        found.append('a thread has two tracks')
    if any((machine, pid) not in processes for machine, pid, _ in threads):
        found.append('a thread has no process')
    if any(stage['gpu'] >= len(trace.gpus.get(stage['machine'], [])) + 1 for stage in trace.stages):
        found.append('an operation ran on an unknown device')
    return found


def counts(trace):
    def names(values):
        table = {}
        for value in values:
            table[value] = table.get(value, 0) + 1
        return dict(sorted(table.items()))
    tracks = trace.tracks.values()
    return {
        'packets': trace.packets, 'slices': len(trace.slices), 'stages': len(trace.stages),
        'instants': len(trace.instants), 'counters': len(trace.counters), 'flows': len(trace.flows),
        'flow_ends': len(trace.flow_ends), 'submitted': len(trace.submitted),
        'names': names(piece.name for piece in trace.slices),
        'apis': sorted({stage['api'] for stage in trace.stages}),
        'stage_names': names(stage['name'] for stage in trace.stages),
        'failed': sum(1 for piece in trace.slices if piece.notes.get('failed')),
        'ended': names(piece.notes['ended'] for piece in trace.slices if 'ended' in piece.notes),
        'processes': [track['process'][0]['name'][0] for track in tracks if 'process' in track],
        'threads': sum(1 for track in tracks if 'thread' in track),
        'thread_names': sorted(track['thread'][0]['name'][0] for track in tracks if 'thread' in track),
        'counter_tracks': sorted(one(track, 'name') for track in tracks if 'counter' in track),
        'rows': sorted(one(track, 'name') for track in tracks if 'name' in track and 'counter' not in track),
        'machines': trace.machines, 'attributes': trace.attributes, 'gpus': trace.gpus}


def dump(trace):
    for piece in trace.slices:
        yield '%s %s%s %d-%d %s' % (trace.track_name(piece.track), '.' * piece.depth, piece.name, piece.begin,
                                    piece.end, json.dumps(piece.notes, ensure_ascii=False, sort_keys=True))
    for name, what, time, notes in trace.instants:
        yield '%s ! %s %d %s' % (name, what, time, json.dumps(notes, sort_keys=True))
    for stage in trace.stages:
        yield 'stage ' + json.dumps(stage, ensure_ascii=False, sort_keys=True)
    for name, time, value in trace.counters:
        yield '%s = %d at %d' % (name, value, time)


def main():
    words = sys.argv[1:]
    loose, dumped = '--loose' in words, '--dump' in words
    found = []
    for path in [word for word in words if not word.startswith('--')]:
        try:
            trace = Trace(path)
        except (Bad, UnicodeDecodeError, IndexError, KeyError) as bad:
            sys.exit('%s: %s %s' % (path, type(bad).__name__, bad))
        found += ['%s: %s' % (path, line) for line in check(trace, loose)]
        if dumped:
            print('\n'.join(dump(trace)))
        else:
            print(json.dumps(counts(trace), ensure_ascii=False))
    sys.exit('\n'.join(found) if found else 0)


if __name__ == '__main__':
    main()
