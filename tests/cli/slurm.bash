# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# A Slurm of one node for tests: no systemd, own configuration and state in a folder of its own. Needs root.
#
#	slurm_missing       prints why it cannot run here, or nothing
#	slurm_start DIR     starts munged (unless one runs), slurmctld and slurmd; exports SLURM_CONF
#	slurm_stop DIR      ends what slurm_start started

slurm_missing()
{
	local program

	[ "$(id -u)" = 0 ] || { echo "slurmd needs root"; return; }
	for program in /usr/sbin/slurmctld /usr/sbin/slurmd /usr/sbin/munged /usr/bin/srun; do
		[ -x "$program" ] || { echo "$program is missing"; return; }
	done
	if pgrep -x slurmctld > /dev/null || pgrep -x slurmd > /dev/null; then
		echo "another slurm runs on this machine"
	fi
}

slurm_configuration()
{
	local dir=$1 host

	host=$(hostname -s)
	cat <<- CONF
		ClusterName=sonde-test
		SlurmctldHost=$host
		AuthType=auth/munge
		SlurmUser=root
		SlurmdUser=root
		StateSaveLocation=$dir/state
		SlurmdSpoolDir=$dir/spool
		SlurmctldPidFile=$dir/slurmctld.pid
		SlurmdPidFile=$dir/slurmd.pid
		SlurmctldLogFile=$dir/slurmctld.log
		SlurmdLogFile=$dir/slurmd.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		ReturnToService=2
		MpiDefault=pmi2
		NodeName=$host CPUs=$(nproc) State=UNKNOWN
		PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
	CONF
}

slurm_start_munge()
{
	local dir=$1

	munge -n > /dev/null 2>&1 && return
	[ -s /etc/munge/munge.key ] || head -c 1024 /dev/urandom > /etc/munge/munge.key
	chown munge:munge /etc/munge/munge.key
	chmod 400 /etc/munge/munge.key
	mkdir -p /run/munge
	chown munge:munge /run/munge
	setpriv --reuid=munge --regid=munge --clear-groups /usr/sbin/munged --pid-file=/run/munge/munged.pid 3>&-
	touch "$dir/own-munge"
}

slurm_start()
{
	local dir=$1 i

	mkdir -p "$dir/state" "$dir/spool"
	slurm_configuration "$dir" > "$dir/slurm.conf"
	export SLURM_CONF=$dir/slurm.conf
	slurm_start_munge "$dir"
	# bats waits for whoever holds its descriptor 3
	/usr/sbin/slurmctld 3>&-
	/usr/sbin/slurmd 3>&-
	for ((i = 0; i < 150; i++)); do
		[ "$(sinfo -h -o %t 2> /dev/null)" = idle ] && return
		sleep 0.1
	done
	tail -n 20 "$dir"/*.log >&2
	return 1
}

slurm_stop()
{
	local dir=$1 name

	for name in slurmd slurmctld; do
		[ -s "$dir/$name.pid" ] && kill "$(cat "$dir/$name.pid")"
	done
	[ -e "$dir/own-munge" ] && kill "$(cat /run/munge/munged.pid)"
	return 0
}
