/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds the numbers and shapes of ompt.h against the standard's own header, where a compiler has it. */
#include <omp-tools.h>
#include <stdio.h>

#define ompt_word ours_word
#define ompt_function ours_function
#define ompt_lookup ours_lookup
#define ompt_set_callback ours_set_callback
#include "backends/ompt/ompt.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)

SAME(OMPT_THREAD_BEGIN, ompt_callback_thread_begin);
SAME(OMPT_THREAD_END, ompt_callback_thread_end);
SAME(OMPT_PARALLEL_BEGIN, ompt_callback_parallel_begin);
SAME(OMPT_PARALLEL_END, ompt_callback_parallel_end);
SAME(OMPT_TASK_CREATE, ompt_callback_task_create);
SAME(OMPT_TASK_SCHEDULE, ompt_callback_task_schedule);
SAME(OMPT_IMPLICIT_TASK, ompt_callback_implicit_task);
SAME(OMPT_DEVICE_INITIALIZE, ompt_callback_device_initialize);
SAME(OMPT_SYNC_REGION_WAIT, ompt_callback_sync_region_wait);
SAME(OMPT_WORK, ompt_callback_work);
SAME(OMPT_MUTEX_ACQUIRE, ompt_callback_mutex_acquire);
SAME(OMPT_MUTEX_ACQUIRED, ompt_callback_mutex_acquired);
SAME(OMPT_TARGET, ompt_callback_target_emi);
SAME(OMPT_TARGET_DATA_OP, ompt_callback_target_data_op_emi);
SAME(OMPT_TARGET_SUBMIT, ompt_callback_target_submit_emi);
SAME(OMPT_BEGIN, ompt_scope_begin);
SAME(OMPT_END, ompt_scope_end);
SAME(OMPT_TASK_INITIAL, ompt_task_initial);
SAME(OMPT_TASK_IMPLICIT, ompt_task_implicit);
SAME(OMPT_TASK_EXPLICIT, ompt_task_explicit);
SAME(OMPT_TASK_UNTIED, ompt_task_untied);
SAME(OMPT_TASK_COMPLETE, ompt_task_complete);
SAME(OMPT_TASK_CANCEL, ompt_task_cancel);
SAME(OMPT_TASK_DETACH, ompt_task_detach);
SAME(OMPT_TASK_EARLY_FULFILL, ompt_task_early_fulfill);
SAME(OMPT_TASK_LATE_FULFILL, ompt_task_late_fulfill);
SAME(OMPT_TASK_TASKWAIT_COMPLETE, ompt_taskwait_complete);
SAME(OMPT_BARRIER_OLD, ompt_sync_region_barrier);
SAME(OMPT_BARRIER_IMPLICIT_OLD, ompt_sync_region_barrier_implicit);
SAME(OMPT_BARRIER_EXPLICIT, ompt_sync_region_barrier_explicit);
SAME(OMPT_BARRIER_RUNTIME, ompt_sync_region_barrier_implementation);
SAME(OMPT_TASKWAIT, ompt_sync_region_taskwait);
SAME(OMPT_TASKGROUP, ompt_sync_region_taskgroup);
SAME(OMPT_REDUCTION, ompt_sync_region_reduction);
SAME(OMPT_BARRIER_WORK, ompt_sync_region_barrier_implicit_workshare);
SAME(OMPT_BARRIER_PARALLEL, ompt_sync_region_barrier_implicit_parallel);
SAME(OMPT_BARRIER_TEAMS, ompt_sync_region_barrier_teams);
SAME(OMPT_LOCK, ompt_mutex_lock);
SAME(OMPT_TEST_LOCK, ompt_mutex_test_lock);
SAME(OMPT_NEST_LOCK, ompt_mutex_nest_lock);
SAME(OMPT_TEST_NEST_LOCK, ompt_mutex_test_nest_lock);
SAME(OMPT_CRITICAL, ompt_mutex_critical);
SAME(OMPT_ATOMIC, ompt_mutex_atomic);
SAME(OMPT_ORDERED, ompt_mutex_ordered);
SAME(OMPT_LOOP, ompt_work_loop);
SAME(OMPT_SECTIONS, ompt_work_sections);
SAME(OMPT_SINGLE_EXECUTOR, ompt_work_single_executor);
SAME(OMPT_SINGLE_OTHER, ompt_work_single_other);
SAME(OMPT_WORKSHARE, ompt_work_workshare);
SAME(OMPT_DISTRIBUTE, ompt_work_distribute);
SAME(OMPT_TASKLOOP, ompt_work_taskloop);
SAME(OMPT_SCOPE, ompt_work_scope);
SAME(OMPT_TARGET_REGION, ompt_target);
SAME(OMPT_TARGET_ENTER, ompt_target_enter_data);
SAME(OMPT_TARGET_EXIT, ompt_target_exit_data);
SAME(OMPT_TARGET_UPDATE, ompt_target_update);
SAME(OMPT_TARGET_REGION + OMPT_TARGET_NOWAIT, ompt_target_nowait);
SAME(OMPT_TARGET_ENTER + OMPT_TARGET_NOWAIT, ompt_target_enter_data_nowait);
SAME(OMPT_ALLOC, ompt_target_data_alloc);
SAME(OMPT_TO_DEVICE, ompt_target_data_transfer_to_device);
SAME(OMPT_FROM_DEVICE, ompt_target_data_transfer_from_device);
SAME(OMPT_DELETE, ompt_target_data_delete);
SAME(OMPT_ASSOCIATE, ompt_target_data_associate);
SAME(OMPT_DISASSOCIATE, ompt_target_data_disassociate);
SAME(OMPT_ALLOC + OMPT_DATA_ASYNC, ompt_target_data_alloc_async);
_Static_assert(sizeof(ompt_data_t) == sizeof(ours_word), "a word");
_Static_assert(sizeof(ompt_start_tool_result_t) == sizeof(struct ompt_start), "what ompt_start_tool gives");

int main(void)
{
	puts("same=1");
	return 0;
}
