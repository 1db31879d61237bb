#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section H: names and text.
load lib

# Every output of the recording $T/rec and the summary, read back by other programs; the names of operations in
# each of them as JSON: $T/names.
read_back()
{
	local format
	rm -rf "$T/export"
	mkdir "$T/export"
	for format in csv json chrome speedscope; do
		"$SONDE" export --to $format -o "$T/export/$format" "$T/rec" >/dev/null
	done
	"$SONDE" timeline -o "$T/export/pftrace" "$T/rec" >/dev/null
	"$PYTHON" -B "$LIB/pftrace.py" "$T/export/pftrace" >"$T/export/counts" || return 1
	"$SONDE" print --json "$T/rec" >"$T/export/print"
	"$SONDE" report -q --csv "$T/export/tables" "$T/rec"
	"$PYTHON" - "$T" <<-'EOF'
		import collections, csv, json, sys
		folder = sys.argv[1]
		def text(path):
		    raw = open(folder + path, "rb").read()
		    assert not any(byte < 32 and byte not in (10, 13, 9) for byte in raw), path
		    return raw.decode("utf-8") # everything that is text is valid
		lines = [json.loads(line) for line in text("/export/json").splitlines()]
		events = [json.loads(line) for line in text("/export/print").splitlines()]
		chrome = json.loads(text("/export/chrome"))["traceEvents"]
		json.loads(text("/export/speedscope"))
		csv.field_size_limit(1 << 24)
		rows = list(csv.DictReader(open(folder + "/export/csv", newline="")))
		tables = list(csv.DictReader(open(folder + "/export/tables/kernels.csv", newline="")))
		summary = json.loads(text("/summary.json"))
		names = [row["name"] for row in lines if row["type"] == "operation"]
		count = collections.Counter(names)
		assert collections.Counter(e["name"] for e in events if e["type"] == "operation") == count
		assert collections.Counter(r["name"] for r in rows if r["type"] == "operation") == count
		seen = collections.Counter(e["name"] for e in chrome if e["ph"] == "X")
		assert all(seen[name] == count[name] for name in count), (seen, count)
		assert {row["name"]: row["calls"] for row in summary["kernels"]} == count
		assert {row["name"]: int(row["calls"]) for row in tables} == count
		assert json.load(open(folder + "/export/counts"))["stage_names"] == count
		json.dump([list(count), summary["run"]["command"]], open(folder + "/names", "w"))
	EOF
}

named() # COMMAND...: traced with the stand-in for OpenCL, which takes every name
{
	need opencl fake_opencl/libOpenCL.so.1
	rm -rf "$T/rec"
	LD_LIBRARY_PATH=$APPS/fake_opencl traced -l -o "$T/rec" -- "$@"
	equal status 0 "$status"
}

@test "C121 names stay as the program gave them, and names that are shortened to the same text stay two rows" {
	a=_ZN5space10stencil_7pIdLi3EEEvPT_S2_i b=_ZN5space10stencil_9pIdLi3EEEvPT_S2_i
	named "$APPS/cl_names" $a $b 'stencil<double, 3>(double*)' _Z
	read_back
	"$PYTHON" -c 'import json, sys; assert json.load(open(sys.argv[1]))[0] == sys.argv[2:]' "$T/names" \
		$a $b 'stencil<double, 3>(double*)' _Z
	"$SONDE" report "$T/rec" >"$T/table"
	says "$T/table" 'void space::stencil_7p<double, 3>(double*, double*, int)' # by the machine's C++ library
	for width in 8 20; do
		"$SONDE" report --max-name $width "$T/rec" >"$T/table"
		equal "rows of $width" 4 "$(sed -n '/^Kernels/,/^$/p' "$T/table" | grep -c '[0-9] us')"
	done
}

@test "C122 names of thousands of characters: whole in the data, short and all different in the table" {
	named "$APPS/cl_names" 'prefix<ab,*1000' 'prefix<ab,*999' 'prefix<ab,*998' 'x*3000' 'x*3001'
	read_back
	"$PYTHON" - "$T/names" <<-'EOF'
		import json, sys
		names = json.load(open(sys.argv[1]))[0]
		# what is longer than 4 KiB keeps its beginning
		assert sorted(map(len, names)) == [3000, 3001, 4096, 4096, 4096] and len(set(names)) == 5, list(map(len, names))
	EOF
	"$SONDE" report --max-name 40 "$T/rec" >"$T/table"
	sed -n '/^Kernels/,/^$/p' "$T/table" | grep '[0-9] us' >"$T/rows"
	equal "rows" 5 "$(wc -l <"$T/rows")"
	equal "different names" 5 "$(awk '{ print $NF }' "$T/rows" | sort -u | wc -l)"
	[ "$(wc -L <"$T/rows")" -le 120 ]
}

@test "C124 control characters, quotes and wrong UTF-8 in names, arguments and folders: every output is valid" {
	cd "$T"
	folder=$'a "dir"\\ with\ttab\xff'
	mkdir "$folder"
	cp "$APPS/cl_names" "$folder/na\"me"
	named "$folder/na\"me" $'operator ""_x' $'\x01\x1b[31m"\\\n' $'wrong\xff\xc3' $'\xe2\x80\xae</script>' plain
	read_back
	"$PYTHON" - "$T/names" <<-'EOF'
		import json, sys
		names, command = json.load(open(sys.argv[1]))
		assert len(names) == 5 and "plain" in names and 'operator ""_x' in names, names
		assert any("</script>" in name for name in names) and any('"\\' in name for name in names), names
		assert len(command) == 6 and command[0].endswith('na"me') and command[1] == 'operator ""_x', command
	EOF
	"$SONDE" report "$T/rec" >"$T/table"
	# nothing in the table moves the cursor, changes a colour or turns the line around
	never grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xe2\x80\xae' "$T/table"
	"$SONDE" print "$T/rec" >"$T/lines"
	never grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xe2\x80\xae' "$T/lines"
}

@test "C125 64 threads with 10,000 calls each: valid, and exact to the call" {
	need opencl
	traced -q -l -o "$T/rec" -- "$APPS/cl_threads" 64 10000
	equal status 0 "$status"
	check 'calls("clSetKernelArg") == out["set_arg"] == 640002' 'kernels() == 64' 'ledger("lost") == 0'
	"$SONDE" export --to json -o - "$T/rec" --include 'clSet*,spin' >"$T/rows"
	"$PYTHON" - "$T/rows" <<-'EOF'
		import collections, json, sys
		calls, operations = collections.Counter(), 0
		for line in open(sys.argv[1]):
		    row = json.loads(line)
		    if row["type"] == "call":
		        calls[row["tid"]] += 1
		    operations += row["type"] == "operation"
		assert all(tid > 0 for tid in calls) and operations == 64, operations
		assert sorted(calls.values()) == [2] + [10000] * 64, sorted(calls.values())
	EOF
}
