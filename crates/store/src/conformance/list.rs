//! The list of behaviours, from which each store's tests are made.

/// Makes a test of every behaviour, for the store that the named function opens: `async fn() -> Fixture`.
#[macro_export]
macro_rules! conformance_suite {
    ($fresh:ident) => {
        $crate::conformance_tests! {
            $fresh;
            flows:
                a_definition_is_found_by_its_hash_and_its_name
                an_unknown_definition_is_not_found
                a_name_stands_for_the_shape_registered_last
                registering_again_updates_the_text
            ;
            starts:
                a_started_run_shows_its_input_and_its_first_branch
                a_run_of_a_flow_that_was_never_registered_is_refused
                a_new_run_can_be_kept_by_the_session_that_starts_it
                what_a_start_does_not_keep_is_handed_out
                a_run_that_begins_with_a_fork_begins_all_its_branches
                a_refused_start_does_not_touch_its_neighbours
                values_come_back_byte_for_byte
                names_and_ids_of_any_script_are_told_apart
            ;
            conflicts:
                an_id_in_use_is_refused_in_every_state
                use_existing_answers_with_the_run_in_every_state
                terminate_existing_begins_a_new_life_in_every_state
                a_new_life_sees_nothing_of_the_old_one
                an_id_of_another_flow_is_refused_under_every_policy
                another_shape_of_a_flow_is_the_same_flow
                a_replaced_run_frees_what_was_claimed_of_it
            ;
            claims:
                a_claim_carries_all_that_an_attempt_needs
                what_is_claimed_is_not_handed_out_again
                what_is_ready_does_not_wait_for_a_clock_that_was_set_back
                a_claim_raises_the_fence
                no_more_is_handed_out_than_asked_for
                work_is_handed_out_in_the_order_it_became_due
                flows_take_turns_within_one_claim
                flows_take_turns_from_claim_to_claim
                a_flow_without_due_work_costs_no_turn
                work_outside_the_filter_never_hides_work_inside
                one_run_can_be_asked_for_its_work
                nothing_is_handed_out_before_its_time
                a_claim_tells_when_more_becomes_due
                a_session_that_is_gone_gets_nothing
            ;
            commits:
                a_stale_fence_is_refused_and_leaves_no_trace
                a_turn_is_committed_once
                a_branch_that_nobody_holds_takes_no_turn
                a_taken_result_refuses_the_whole_commit
                a_refused_commit_does_not_touch_its_neighbours
                two_turns_of_one_claim_in_one_batch_are_one_turn
                a_successor_that_is_let_go_is_handed_out_with_its_input
                a_kept_successor_is_claimed_in_the_same_commit
                what_a_delay_passed_on_comes_with_the_kept_successor
                a_successor_that_sleeps_is_neither_kept_nor_let_go
                nothing_is_kept_for_a_session_that_is_gone
                the_last_result_and_the_end_of_the_run_are_one_commit
                a_copy_of_nothing_is_refused
                a_change_that_does_not_fit_leaves_no_trace
                a_moment_in_the_past_is_due_at_once
            ;
            joins:
                a_fork_makes_its_branches_due_in_one_commit
                a_join_is_due_in_the_commit_of_its_last_branch
                a_join_is_kept_by_whoever_brings_the_last_branch
                no_more_branches_are_kept_than_asked_for
                a_branch_that_sleeps_tells_when_it_wakes
                a_fork_of_forks_joins_from_the_inside_out
                branches_of_one_scope_name_do_not_meet
                a_branch_that_fails_for_good_ends_the_run_and_its_siblings
                branches_that_end_in_one_batch_join_once
            ;
            retries:
                a_failed_attempt_is_due_again_after_its_back_off
                a_retry_without_back_off_can_be_kept
                the_next_node_counts_its_attempts_from_one
                the_last_failure_ends_the_run_with_its_cause
                a_timed_out_attempt_is_told_as_such
            ;
            pauses:
                hold_keeps_due_work_back_and_release_hands_it_out
                a_success_in_flight_is_recorded_while_paused_and_nothing_new_starts
                a_paused_run_whose_last_step_is_in_flight_completes
                branches_that_begin_while_paused_are_held
                what_falls_due_during_a_pause_is_due_when_it_ends
                a_claim_handed_back_while_paused_stays_held
                a_claim_lost_while_paused_stays_held
                a_claim_outlives_a_pause
                a_failure_while_paused_waits_for_the_resume
                a_message_to_a_paused_run_is_read_after_the_resume
                cancel_removes_every_branch_and_refuses_what_is_in_flight
                a_paused_run_can_be_cancelled
                of_two_changes_of_a_run_decided_at_once_one_is_refused
                a_cancel_decided_before_the_run_completed_is_refused
                a_step_in_between_does_not_refuse_a_pause
                a_change_of_a_run_that_does_not_exist_is_refused
            ;
            signals:
                a_message_wakes_the_branch_that_awaits_it
                a_message_waits_for_the_branch_that_will_await_it
                messages_of_one_name_are_read_in_the_order_they_came
                a_message_of_another_name_or_run_wakes_nobody
                a_key_is_accepted_once_also_after_its_message_was_read
                a_key_counts_for_its_run_and_name_alone
                messages_without_a_key_are_never_duplicates
                a_run_that_is_over_or_unknown_takes_no_message
                a_wait_ends_when_its_time_is_over
                a_message_that_comes_while_its_wait_is_claimed_is_not_overlooked
                one_message_for_two_waits_goes_to_one_of_them
                two_messages_for_two_waits_wake_both
                each_message_wakes_a_wait_of_its_own_however_the_clock_is_set
                a_message_that_another_branch_has_read_is_refused_and_leaves_no_trace
                a_wait_whose_message_was_read_by_another_waits_on
            ;
            sessions:
                a_heartbeat_extends_a_session_from_now
                a_session_that_was_ended_has_no_heartbeat
                what_a_dead_session_held_is_due_again_and_counts_as_a_crash
                what_dies_together_again_comes_back_one_run_after_the_other
                only_what_a_dead_session_still_held_is_freed
                a_node_that_kills_its_workers_ends_its_run
                crashes_are_counted_for_each_node
                a_wait_that_is_lost_is_no_crash
                the_deadline_of_a_lost_attempt_is_told_once
                a_session_that_is_closed_hands_back_what_it_holds
                only_a_started_claim_counts_when_it_is_handed_back
                a_back_off_that_is_handed_back_is_due_as_before
                a_claim_that_is_not_held_any_more_is_not_handed_back
                a_session_is_told_what_became_of_its_claims
                a_session_can_ask_what_it_holds
                the_next_expiry_is_told
                a_reader_sees_who_holds_a_branch
            ;
            deadlines:
                a_claim_tells_the_deadline_of_its_run
                a_run_that_is_too_late_fails_and_what_is_in_flight_is_refused
                a_parked_run_meets_its_deadline_too
                a_run_that_ends_in_time_leaves_no_deadline_behind
                a_pause_holds_the_deadline_as_well
            ;
            turns:
                a_run_goes_through_all_kinds_of_nodes_to_its_end
                a_long_run_keeps_every_result
            ;
            reads:
                nothing_is_known_of_a_run_that_was_never_started
                states_are_answered_in_the_order_asked
                results_are_answered_in_the_order_asked
                history_is_told_in_the_order_it_happened
                an_event_comes_back_as_it_was_committed
                a_reader_sees_where_each_branch_stands
            ;
            lists:
                runs_are_listed_newest_first_page_by_page
                a_list_shows_what_a_single_read_shows
                a_list_of_a_flow_shows_all_its_shapes_and_no_other_flow
                each_status_lists_its_runs
                a_status_is_looked_for_beyond_the_first_page
                every_life_of_an_id_is_listed
            ;
            storms:
                two_sessions_never_get_the_same_branch
                branches_that_arrive_at_once_join_once
                one_of_many_turns_of_one_claim_is_granted
                one_of_many_starts_of_one_id_begins_the_run
                one_of_many_deliveries_of_one_key_is_accepted
                many_workers_bring_every_run_to_its_end
            ;
            agreement:
                any_story_ends_as_it_does_in_memory
            ;
            closing:
                a_closed_store_answers_every_call_as_closed
                a_store_can_be_closed_twice
                what_was_asked_before_the_close_is_done
            ;
        }
    };
}

/// Makes a test of every behaviour of a store that several processes share. The fixture has a second handle.
#[macro_export]
macro_rules! shared_conformance_suite {
    ($fresh:ident) => {
        $crate::conformance_tests! {
            $fresh;
            sharing:
                what_one_handle_commits_the_other_sees
                an_id_is_taken_for_both_handles
                a_handle_notices_what_the_other_commits
                sessions_of_both_handles_never_get_the_same_branch
                a_worker_that_dies_is_replaced_through_the_other_handle
                the_other_handle_outlives_a_close
            ;
        }
    };
}

/// One module for each file, one test for each behaviour in it.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ($fresh:ident; $($file:ident: $($behaviour:ident)+;)+) => {
        $(
            mod $file {
                $(
                    #[test]
                    fn $behaviour() {
                        $crate::conformance::check(super::$fresh, $crate::conformance::$file::$behaviour);
                    }
                )+
            }
        )+
    };
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    fn sources_under(folder: &Path) -> Vec<PathBuf> {
        let entries =
            std::fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("an entry").path());
        entries.flat_map(|path| if path.is_dir() { sources_under(&path) } else { vec![path] }).collect()
    }

    #[test]
    fn every_behaviour_is_in_the_list() {
        let list = include_str!("list.rs");
        let mut count = 0;
        for source in sources_under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conformance")) {
            let text = std::fs::read_to_string(source).expect("a text");
            // Behaviours are the only free public functions that await.
            for line in text.lines().filter_map(|line| line.strip_prefix("pub async fn ")) {
                let behaviour = line.split('(').next().unwrap_or_default();
                assert!(list.lines().any(|line| line.trim() == behaviour), "{behaviour} is never run");
                count += 1;
            }
        }
        assert!(count > 100, "only {count} behaviours were found");
    }
}
