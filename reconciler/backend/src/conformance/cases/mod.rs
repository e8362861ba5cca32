//! The cases, by what they are about. Each is an async function of a [`Bench`].
//!
//! [`Bench`]: super::Bench

mod capabilities;
mod changing;
mod creating;
mod deleting;
mod looking;
mod power;
mod strangers;

use super::{Case, Fixture};

macro_rules! cases {
    ($($module:ident: $($case:ident),* $(,)?;)*) => {
        /// Every case.
        pub(super) fn all<F: Fixture>() -> Vec<Case<F>> {
            vec![$($(Case {
                name: stringify!($case),
                run: |bench| Box::pin($module::$case(bench)),
            }),*),*]
        }
    };
}

cases! {
    looking:
        nothing_is_seen_of_a_machine_that_was_never_made,
        the_survey_stays_as_it_is,
        an_image_is_found_where_it_is,
        an_expired_session_is_not_an_absence,
        a_change_is_told,
        addresses_appear_and_keep_their_order,
        user_data_is_never_told;
    creating:
        creating_twice_makes_one_machine,
        a_lost_answer_is_found_again,
        a_restart_finds_the_work,
        a_half_made_machine_is_completed,
        a_missing_image_leaves_nothing,
        a_missing_zone_leaves_nothing,
        a_missing_network_leaves_nothing,
        a_missing_storage_leaves_nothing,
        a_plan_carried_out_makes_the_machine;
    changing:
        every_step_may_be_repeated,
        a_step_on_nothing_asks_to_look_again,
        hardware_and_interfaces_follow,
        disks_grow_and_are_added,
        disks_never_shrink,
        a_seed_is_written_once;
    power:
        power_follows,
        a_guest_that_does_not_shut_down_is_switched_off;
    deleting:
        deleting_twice_leaves_nothing,
        a_half_made_machine_is_removed,
        a_half_removed_machine_is_removed,
        remains_are_removed,
        a_machine_removed_by_hand_is_gone,
        a_disk_of_a_person_survives;
    strangers:
        a_stranger_with_our_uuid_is_not_touched,
        a_stranger_with_our_name_is_not_touched;
    capabilities:
        machines_are_suspended_as_claimed,
        secure_boot_is_had_as_claimed,
        tpms_are_had_as_claimed,
        cpus_are_added_as_claimed,
        memory_is_added_as_claimed,
        disks_are_changed_as_claimed,
        interfaces_are_changed_as_claimed,
        user_data_is_as_large_as_claimed;
}
