#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the documents say of options and keys is what the code has.
load lib

@test "ARCHITECTURE names the keys of the summary as JSON, all of them and no others" {
	"$PYTHON" - "$SRC" <<'END'
import re
import sys

code = ""
for part in ("view_json.c", "view_json_processes.c"):
    with open(sys.argv[1] + "/src/views/" + part, encoding="utf-8") as stream:
        code += stream.read()
with open(sys.argv[1] + "/docs/ARCHITECTURE.md", encoding="utf-8") as stream:
    text = stream.read()
with open(sys.argv[1] + "/src/views/view_details.c", encoding="utf-8") as stream:
    details = stream.read()
written = set(re.findall(r'(?:json_\w+|empty_array)\(json, "(\w+)"', code))
written |= set(re.findall(r'\[VIEW_DETAIL_(?!GRAPH|NODE)\w+\] = "(\w+)"', details)) # those of events alone are no keys here
block = re.search(r'^```\n(\{ "schema".*?)^```', text, re.M | re.S).group(1)
values = {"sonde-summary-1"}
named = set(re.findall(r'"([\w-]+)"', block)) - values
wrong = ["not in ARCHITECTURE: %s" % key for key in sorted(written - named)]
wrong += ["not in the code: %s" % key for key in sorted(named - written)]
if wrong or len(written) < 50:
    sys.exit("\n".join(wrong) or "hardly any key found")
END
}

@test "the README calls as many runtimes simulated as backends say so of themselves" {
	said=$(grep -lx "state simulated" "$SRC"/src/backends/*/attach.conf | grep -vc /template/)
	equal "rows with the state simulated" "$said" "$(grep -c "^| .* | simulated | " "$SRC/README.md")"
}

@test "every option that the user guide or the man page names exists" {
	"$SONDE" --help >help
	for command in $(sed -n 's/^       sonde \([a-z]*\) .*/\1/p' help); do
		"$SONDE" "$command" --help >>help
	done
	# what stands behind the program's name (here ./a.out) is the program's
	sed 's/\\-/-/g; s/a\.out.*//' "$SRC/docs/USER-GUIDE.md" "$SRC/docs/man/sonde.1.in" |
		grep -o -- '--[a-z][a-z-]*' | sort -u >named
	[ "$(wc -l <named)" -ge 8 ]
	while read -r option; do
		grep -q -- "$option\b" help || { echo "unknown: $option"; return 1; }
	done <named
}
