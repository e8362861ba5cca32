//! Pure decisions: schedule, placement, machine steps, conditions, user data, workloads.
