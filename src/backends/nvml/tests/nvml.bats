#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --sample nvml against a simulated NVML (sim.c), with programs that use a simulated CUDA or nothing at all.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/tests/cli/lib"

unset CUDA_INJECTION64_PATH CUDA_HOME CUDA_PATH CUDA_ROOT CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER ${!SIM_*}
NVML=$BUILD/tests/nvml
CUDA=$BUILD/tests/cuda
export LD_LIBRARY_PATH=$NVML:$CUDA/cupti

# the one row of a counter; all figures of it
ROW='(lambda name: [c for c in s["counters"] if c["name"] == name][0])'
THREE='(lambda name: [(c["min"], c["mean"], c["max"], c["unit"]) for c in s["counters"] if c["name"] == name])'

note() # TEXT: some note of the summary holds it
{
	check "any('''$1''' in note['text'] for note in s['notes'])"
}

no_notes() # of counters
{
	check '[note for note in s["notes"] if note["code"] == "counters"] == []'
}

samplers()
{
	own_processes -f '^[^ ]*/sonde-sample-nvml'
}

no_sampler()
{
	wait_for 2 eval '! samplers >/dev/null'
}

@test "every counter has the figures that the library gives, in the summary and in its tables" {
	traced --csv tables --sample nvml:20ms sleep 0.6
	equal status 0 "$status"
	check "$THREE('SM clock') == [(1500, 1500, 1500, 'MHz')]" "$THREE('memory clock') == [(2600, 2600, 2600, 'MHz')]" \
		"$THREE('GPU utilisation') == [(73, 73, 73, '%')]" "$THREE('memory utilisation') == [(21, 21, 21, '%')]" \
		"$THREE('memory used') == [(5000000000, 5000000000, 5000000000, 'bytes')]" \
		"$THREE('temperature') == [(41, 41, 41, 'degrees C')]" \
		"$THREE('power')[0][0::2] == (100, 300)" "len(s['counters']) == 11" \
		"all(c['device'] == 'Simulated GPU' and c['interval_ns'] == 20000000 for c in s['counters'])" \
		"all(10 <= c['samples'] <= 40 for c in s['counters'])"
	# counters of bytes, one of which goes round on the way
	check "all(abs($ROW(name)['mean'] / rate - 1) < 0.01 for name, rate in (('PCIe sent', 100e6), ('PCIe received', 200e6),
		('NVLink sent', 1024e6), ('NVLink received', 2048e6)))" "$ROW('PCIe sent')['unit'] == 'bytes/s'" \
		"$ROW('PCIe sent')['max'] < 110e6"
	says err "Counters, sampled every 20.00 ms" "1500.0 MHz" "4.657 GiB" "1.024 GB/s" "nothing recorded"
	says tables/counters.csv "SM clock,Simulated GPU," ",MHz,1500" "memory used,"
	no_notes
	no_sampler
}

@test "the mean is weighted by time: readings that take long count for as long" {
	# 10 readings of 60 ms while it says 100 W, then 300 W: rounds are missed, and the mean is that of time
	SIM_NVML="delay=60" SIM_NVML_LOG=$T/log traced -o kept --sample nvml:10ms sleep 1
	equal status 0 "$status"
	check "$ROW('power')['missed'] >= 3 * $ROW('power')['samples']" "$ROW('power')['samples'] >= 8"
	report kept
	"$PYTHON" - "$T" <<-'END'
		import json, sys
		lines = [line.split() for line in open(sys.argv[1] + '/log')]
		reads = [(int(time), int(watts)) for pid, gpu, time, watts in lines]
		row = [c for c in json.load(open(sys.argv[1] + '/summary.json'))['counters'] if c['name'] == 'power'][0]
		reads = reads[:row['samples']]  # the last may have been cut off
		time = sum(b[0] - a[0] for a, b in zip(reads, reads[1:]))
		mean = sum((b[0] - a[0]) * b[1] for a, b in zip(reads, reads[1:])) / time
		assert abs(row['mean'] - mean) < 0.02 * mean, (row, mean)
	END
}

@test "of several GPUs those that the program used are shown, and all where none of them is known" {
	SIM_NVML="gpus=3" traced --sample nvml:10ms "$CUDA/sim_static" device 1 launch 1 sync sleep 200
	check 'sorted({c["device"] for c in s["counters"]}) == ["Simulated GPU 1"]' \
		'{c["device"] for c in s["counters"]} == {d["device"] for d in s["devices"]}' \
		'{c["key"] for c in s["counters"]} == {d["key"] for d in s["devices"]}'
	SIM_NVML="gpus=3" traced --sample nvml:10ms sleep 0.3
	check 'sorted({c["device"] for c in s["counters"]}) == ["Simulated GPU #0", "Simulated GPU #1", "Simulated GPU #2"]'
	CUDA_VISIBLE_DEVICES=GPU-51515151-5151-5151-5151-515151515102 SIM_NVML="gpus=3" traced --sample nvml:10ms sleep 0.3
	check 'sorted({c["key"][-2:] for c in s["counters"]}) == ["02"]'
	CUDA_VISIBLE_DEVICES=1 SIM_NVML="gpus=3" traced --sample nvml:10ms sleep 0.3
	check 'len({c["key"] for c in s["counters"]}) == 3' # whose number that is, NVML does not know
}

@test "they are tracks of the timeline and rows of an export, at the times of the recording" {
	traced -l -o kept --sample nvml:20ms "$CUDA/sim_static" device 1 launch 1 sync sleep 300
	equal status 0 "$status"
	"$PYTHON" "$LIB/pftrace.py" --dump kept/timeline.pftrace >dump
	says dump "SM clock = 1500 at " "power = 100 at "
	"$SONDE" timeline -o again.pftrace kept >/dev/null
	cmp again.pftrace kept/timeline.pftrace
	"$SONDE" export --to csv -o events.csv kept
	"$PYTHON" - <<-'END'
		import csv, re
		rows = [row for row in csv.DictReader(open('events.csv')) if row['type'] == 'counter']
		clock = [int(row['begin_ns']) for row in rows if row['name'] == 'SM clock' and int(row['begin_ns']) >= 0]
		tracks = [int(line.split()[-1]) for line in open('dump') if 'SM clock = ' in line]
		assert clock == tracks and len(clock) >= 8, (clock, tracks)
		steps = sorted(b - a for a, b in zip(clock, clock[1:]))
		assert 15e6 < steps[len(steps) // 2] < 25e6, steps
		assert 280e6 < clock[-1] + 20e6 and clock[-1] < 2e9, clock
		assert {row['value'] for row in rows if row['name'] == 'power'} <= {'100', '300'}, rows[:3]
	END
	"$SONDE" export --to json -o events.json kept
	says events.json '"name": "SM clock", "device": "Simulated GPU", "ordinal": 0, "value": 1500, "unit": "MHz"'
}

@test "without a library, with one that does not start, without a GPU: one line, and the program's result" {
	local what
	for what in "" noinit gpus=0; do
		SIM_NVML="$what" LD_LIBRARY_PATH=${what:+$NVML} traced --sample nvml sh -c 'sleep 0.4; echo out; exit 3'
		equal "status $what" 3 "$status"
		equal "output $what" out "$(cat "$T/out")"
		equal "lines $what" 1 "$(grep -c 'no counters of nvml: ' err)"
		check 's["counters"] == []'
		no_sampler
	done
	says err "there is no GPU"
}

@test "a counter that may not be known is left out with one line, one that there is not with none" {
	SIM_NVML="deny nolink" traced --sample nvml:10ms sleep 0.3
	note "Simulated GPU: no permission to know: memory used"
	check "len([n for n in s['notes'] if n['code'] == 'counters']) == 1" \
		"sorted(c['name'] for c in s['counters']) == sorted(['power', 'SM clock', 'memory clock', 'GPU utilisation',
			'memory utilisation', 'temperature', 'PCIe received', 'PCIe sent'])" \
		"$THREE('PCIe sent') == [(1111000, 1111000, 1111000, 'bytes/s')]" "$ROW('PCIe received')['mean'] == 2222000" \
		"$ROW('power')['min'] == 100"
}

@test "a GPU that vanishes keeps the samples it gave, and the others go on" {
	SIM_NVML="gpus=2 lost=5" traced --sample nvml:20ms sleep 0.4
	note "Simulated GPU #0: its counters end "
	note ": GPU is lost"
	check '[c["samples"] for c in s["counters"] if c["name"] == "power" and c["device"].endswith("#0")] == [4]' \
		'[c["samples"] > 5 for c in s["counters"] if c["name"] == "power" and c["device"].endswith("#1")] == [True]'
	SIM_NVML="lost=5" traced --sample nvml:20ms sleep 0.4
	check "len([n for n in s['notes'] if n['code'] == 'counters']) == 1" "$ROW('power')['samples'] == 4"
}

@test "a library that crashes or hangs takes the sampler with it, not the program nor its end" {
	SIM_NVML="crash=4" traced --sample nvml:20ms sh -c 'sleep 0.5; exit 4'
	equal status 4 "$status"
	says err "the sampler was ended by signal 11"
	note "nvml: counters end "
	check "$ROW('power')['samples'] == 3"
	SIM_NVML="hang=4" traced --sample nvml:20ms sh -c 'sleep 0.5; exit 4'
	equal status 4 "$status"
	note "nvml: counters end "
	check "$ROW('power')['samples'] == 3" 's["run"]["wall_ns"] < 900e6'
	SIM_NVML="init=5000" traced --sample nvml:20ms sh -c 'exit 4'
	equal status 4 "$status"
	says err "the program ended before there was a sample"
	check 's["run"]["wall_ns"] < 900e6' 's["counters"] == []'
	no_sampler
}

@test "the program's end is not delayed by a sample under way, and the program has no part in it" {
	local before after count='set -- /proc/$$/fd/*; echo $#; set -- /proc/$$/task/*; echo $#'
	before=$(date +%s%N)
	SIM_NVML="delay=3000" traced --sample nvml:10ms sh -c "$count; cat /proc/\$\$/maps"
	after=$(date +%s%N)
	equal status 0 "$status"
	[ $((after - before)) -lt 1500000000 ] || { echo "took $((after - before)) ns"; return 1; }
	never grep -q nvidia "$T/out"
	mv out sampled
	traced sh -c "$count"
	equal "descriptors and threads" "$(cat out)" "$(head -2 sampled)"
	no_sampler
}

@test "kill -9 of sonde, and of the sampler: what was sampled is there" {
	residue=allowed
	"$SONDE" -o kept --sample nvml:20ms "$CUDA/sim_static" launch 1 sync sleep 2500 >/dev/null 2>&1 &
	local sonde=$!
	wait_for 5 eval '[ "$(stat -c %s kept/samples.* 2>/dev/null || echo 0)" -gt 2500 ]'
	local program
	program=$(pgrep -P $sonde -x sim_static)
	kill -KILL $sonde
	wait $sonde || true
	no_sampler
	kill -KILL "$program"
	report kept
	check "$ROW('power')['samples'] >= 8" "$ROW('SM clock')['mean'] == 1500"

	rm -rf kept
	"$SONDE" -o kept --sample nvml:20ms sleep 0.8 >/dev/null 2>err &
	sonde=$!
	wait_for 5 eval '[ "$(stat -c %s kept/samples.* 2>/dev/null || echo 0)" -gt 2500 ]'
	kill -KILL "$(samplers)"
	wait $sonde
	says err "the sampler was ended by signal 9" "note: nvml: counters end "
	report kept
	check "$ROW('power')['samples'] >= 8"
}

@test "the launchers of a job have one sampler, which outlives the first of them" {
	need mpich
	SIM_NVML_LOG=$T/log traced_job mpich 3 --sample nvml:20ms sh -c \
		"\"$APPS/mpi_idle.mpich\" 0; [ \$PMI_RANK = 0 ] || sleep 0.4"
	equal status 0 "$status"
	check 'ranks == 3' "len(s['counters']) == 11" "$ROW('power')['samples'] >= 10"
	equal "samplers that asked" 1 "$(cut -d' ' -f1 log | sort -u | wc -l)"
	equal tables 1 "$(grep -c '^Counters, sampled' err)"
	no_sampler
}

@test "under another sonde, its samplers are those of the job; a wish of an inner one is told of once" {
	need mpich
	SIM_NVML_LOG=$T/log traced --sample nvml:20ms -- mpirun.mpich -n 3 "$SONDE" --sample nvml:20ms \
		sh -c "\"$APPS/mpi_idle.mpich\" 0; sleep 0.4"
	equal status 0 "$status"
	check 'ranks == 3' "len(s['counters']) == 11" "$ROW('power')['samples'] >= 10"
	equal "samplers that asked" 1 "$(cut -d' ' -f1 log | sort -u | wc -l)"
	never grep -q 'another sonde' err
	traced -- mpirun.mpich -n 3 "$SONDE" --sample nvml:20ms "$APPS/mpi_idle.mpich" 0
	check "s['counters'] == []"
	equal "lines about it" 1 "$(grep -c 'another sonde already' err)"
	no_sampler
}

@test "no room on the disk: one line, and the program's result" {
	need root
	mkdir small
	unshare -m sh -c 'mount -t tmpfs -o size=64k none small && SONDE_TMPDIR=$PWD/small "$@"' - \
		timeout 20 "$SONDE" --json "$T/summary.json" --sample nvml:10ms sh -c \
		'sleep 0.2; dd if=/dev/zero of=small/fill bs=4k >/dev/null 2>&1; sleep 0.6; exit 5' >out 2>err || status=$?
	equal status 5 "$status"
	note "nvml: counters end "
	note "No space left on device"
	check "$ROW('power')['samples'] >= 5"
	# a limit on the size of files is no more of a reason to die
	(ulimit -f 4; traced --sample nvml:10ms sleep 0.8; exit "$status")
	note "File too large"
}

@test "what cannot be sampled, and intervals that cannot be kept, are wrong use: one line, nothing starts" {
	local wish
	for wish in foo nvml:0 nvml:-5ms nvml:9ms nvml:2h nvml:abc nvml: nvml:99999999999999999999 ../nvml nvml,foo :100ms nvml,nvml:20ms; do
		traced --sample "$wish" touch started
		equal "status of $wish" 2 "$status"
		equal "lines of $wish" 1 "$(wc -l <err)"
		says err "--sample"
		[ ! -e started ]
	done
	traced --sample foo true
	says err "(there is: nvml)"
	traced --sample nvml:10 touch started # ms
	equal status 0 "$status"
}

@test "a program that cannot be started is told of alone" {
	printf '#!/nowhere/interpreter\n' >odd
	chmod +x odd
	traced --sample nvml "$T/odd"
	equal status 127 "$status"
	equal lines 1 "$(wc -l <err)"
	no_sampler
}

@test "damaged samples never stop a report" {
	traced -o kept --sample nvml:10ms sleep 0.2
	"$PYTHON" - "$SONDE" <<'END'
import glob, random, subprocess, sys
path = glob.glob('kept/samples.*')[0]
sound = open(path, 'rb').read()
random.seed(4)
for turn in range(40):
    bad = bytearray(sound)
    if turn < 20:
        bad = bad[:len(bad) * turn // 20]
    elif turn < 25:
        bad[16 + 4 * (turn - 20):20 + 4 * (turn - 20)] = b'\xff' * 4
    else:
        for _ in range(1 + turn % 7):
            at = random.randrange(384 if turn % 2 else len(bad))
            bad[at] = random.randrange(256)
    open(path, 'wb').write(bad)
    done = subprocess.run([sys.argv[1], 'report', '--json', 'bad.json', 'kept'], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, timeout=20)
    assert done.returncode == 0, (turn, done)
END
}
