/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, initial values, check against the analytic solution, report of the own timers. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "heat.h"

#define DIFFUSION 0.2 /* dt / h^2; the scheme is stable up to 0.25 */

struct timers timers;

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void die(const char *what, long code)
{
	fprintf(stderr, "heat: %s (%ld)\n", what, code);
	comm_abort();
}

static void usage(FILE *stream)
{
	fputs("usage: heat [--size N] [--steps N] [--overlap | --wait-each-step] [--device N]\n"
	      "  --size N            inner points of the grid in each direction (1024)\n"
	      "  --steps N           time steps (200)\n"
	      "  --overlap           copy and exchange edge rows while the inner rows are computed (default)\n"
	      "  --wait-each-step    wait for the device and copy the whole block after each step\n"
	      "  --device N          OpenCL device (default: the rank's number)\n", stream);
}

static int number(const char *text, int least)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < least || value > 100000) {
		fprintf(stderr, "heat: not a number from %d to 100000: %s\n", least, text);
		exit(2);
	}
	return (int)value;
}

static void parse_options(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{"size", required_argument, NULL, 's'},      {"steps", required_argument, NULL, 'n'},
		{"overlap", no_argument, NULL, 'o'},         {"wait-each-step", no_argument, NULL, 'w'},
		{"device", required_argument, NULL, 'd'},    {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int letter;

	*options = (struct options){.nx = 1024, .ny = 1024, .steps = 200, .overlap = true, .device = -1};
	while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (letter) {
		case 's': options->nx = options->ny = number(optarg, 1); break;
		case 'n': options->steps = number(optarg, 1); break;
		case 'o': options->overlap = true; break;
		case 'w': options->overlap = false; break;
		case 'd': options->device = number(optarg, 0); break;
		case 'h': usage(stdout); exit(0);
		default: usage(stderr); exit(2);
		}
	}
	if (optind < argc) {
		usage(stderr);
		exit(2);
	}
}

/* The first ny % ranks ranks get one row more. */
static void divide_rows(struct block *block, const struct options *options)
{
	int rows = options->ny / block->ranks, more = options->ny % block->ranks;

	if (rows < 2)
		die("too few rows for so many ranks", block->ranks);
	block->rows = rows + (block->rank < more);
	block->first = 1 + block->rank * rows + (block->rank < more ? block->rank : more);
	block->width = options->nx + 2;
	block->above = block->rank > 0 ? block->rank - 1 : -1;
	block->below = block->rank + 1 < block->ranks ? block->rank + 1 : -1;
}

/* sin(pi x) sin(pi y), halo rows included; the walls are cold. */
static double initial_value(const struct block *block, const struct options *options, int row, int column)
{
	int y = block->first - 1 + row;

	if (y == 0 || y == options->ny + 1 || column == 0 || column == options->nx + 1)
		return 0;
	return sin(M_PI * column / (options->nx + 1)) * sin(M_PI * y / (options->ny + 1));
}

static double *initial_field(const struct block *block, const struct options *options)
{
	double *field = malloc(block_points(block) * sizeof(double));

	if (!field)
		die("out of memory", 0);
	for (int row = 0; row <= block->rows + 1; row++)
		for (int column = 0; column < block->width; column++)
			field[(size_t)row * (size_t)block->width + (size_t)column] =
				initial_value(block, options, row, column);
	return field;
}

/* Largest difference of the field from `amplitude` times the initial values, over all ranks. */
static double largest_error(const struct block *block, const struct options *options, const double *field,
			    double amplitude)
{
	double error = 0;

	for (int row = 1; row <= block->rows; row++)
		for (int column = 1; column < block->width - 1; column++) {
			double value = field[(size_t)row * (size_t)block->width + (size_t)column];
			double difference = fabs(value - amplitude * initial_value(block, options, row, column));

			if (!(difference <= error)) /* a NaN counts, too */
				error = difference;
		}
	return comm_max(error);
}

/*
 * The sine mode decays as exp(-2 pi^2 t). The scheme's own mode decays by a factor per step that is known
 * exactly, and differs from that by the discretisation error; a lost or stale halo row breaks the second
 * comparison long before the first.
 */
static bool check(const struct block *block, const struct options *options, const double *field)
{
	double h = 1.0 / (options->nx + 1), wave = sin(M_PI * h / 2);
	double analytic = exp(-2 * M_PI * M_PI * DIFFUSION * h * h * options->steps);
	double discrete = pow(1 - 8 * DIFFUSION * wave * wave, options->steps);
	double error = largest_error(block, options, field, analytic);
	double drift = largest_error(block, options, field, discrete);
	double allowed = 1.01 * fabs(discrete - analytic) + 1e-11 * options->steps;
	bool good = error <= allowed && drift <= 1e-11 * options->steps;

	if (block->rank == 0)
		printf("heat: %d ranks, %d x %d, %d steps, %s: amplitude %.9f, analytic %.9f, error %.2e "
		       "(allowed %.2e): %s\n", block->ranks, options->nx, options->ny, options->steps,
		       options->overlap ? "overlap" : "wait-each-step", discrete, analytic, error, allowed,
		       good ? "correct" : "WRONG");
	return good;
}

/* One line per rank, written at once so that ranks do not mix. */
static void print_timers(int rank)
{
	double wall = now() - timers.start;
	double api = timers.mpi_init + timers.mpi + timers.device_wait + timers.copy + timers.launch + timers.build +
		     timers.setup;

	printf("heat: rank %d: wall %.6f device_wait %.6f copy %.6f launch %.6f build %.6f setup %.6f mpi_init %.6f "
	       "mpi %.6f host %.6f\n", rank, wall, timers.device_wait, timers.copy, timers.launch, timers.build,
	       timers.setup, timers.mpi_init, timers.mpi, wall - api);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct options options;
	struct device device;
	struct block block;
	double *field;
	bool good;

	timers.start = now();
	comm_open(&argc, &argv, &block);
	parse_options(argc, argv, &options);
	divide_rows(&block, &options);
	device_open(&device, &block, options.device >= 0 ? options.device : block.rank, DIFFUSION);
	field = initial_field(&block, &options);
	if (options.overlap)
		run_overlapped(&device, &block, &options, field);
	else
		run_waiting(&device, &block, &options, field);
	good = check(&block, &options, field);
	device_close(&device);
	free(field);
	comm_close();
	print_timers(block.rank);
	return good ? 0 : 1;
}
