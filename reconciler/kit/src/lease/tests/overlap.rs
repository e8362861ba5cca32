//! Two candidates never act at once.

use proptest::prelude::*;

use super::*;

const STEP: Duration = Duration::from_millis(50);

/// A candidate behind a line of its own, which leads whenever it may.
struct Process {
    election: Election,
    line: LeaseServer,
}

/// Runs two candidates for a while, with the line of the first cut between two moments; answers
/// whether both ever could write at once, and who leads at the end.
async fn play(
    cut: Duration,
    mend: Duration,
    cutting: fn(&LeaseServer),
    step: Duration,
) -> (bool, bool, String) {
    let server = LeaseServer::new();
    // The first talks through a line that can be cut without cutting the second's.
    let line = server.branch();
    let first = Process {
        election: candidate(&line.fake(), "a"),
        line,
    };
    let leadership = win(&first.election).await;
    let second = candidate(&server.fake(), "b");
    let follow = tokio::spawn({
        let second = second.clone();
        async move {
            let leadership = win(&second).await;
            leadership.lost().cancelled().await;
        }
    });
    let begin = Instant::now();
    let (mut both, mut followed) = (false, false);
    while begin.elapsed() < seconds(60) {
        let at = begin.elapsed();
        if at >= mend {
            first.line.mend();
        } else if at >= cut {
            cutting(&first.line);
        }
        let now = Instant::now();
        let (one, other) = (first.election.fence.is_open(now), second.fence.is_open(now));
        both |= one && other;
        if other {
            followed = true;
            assert!(leadership.lost().is_cancelled(), "the first still works");
        }
        tokio::time::sleep(step).await;
    }
    follow.abort();
    (both, followed, server.holder())
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_cut_off_stops_before_the_next_one_starts() {
    let (both, followed, holder) = play(seconds(5), seconds(50), LeaseServer::cut, STEP).await;
    assert!(!both);
    assert!(followed);
    assert_eq!(holder, "b");
}

#[tokio::test(start_paused = true)]
async fn a_short_cut_changes_nothing() {
    let (both, followed, holder) = play(seconds(5), seconds(9), LeaseServer::cut, STEP).await;
    assert!(!both && !followed);
    assert_eq!(holder, "a");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whenever_the_line_is_cut_two_never_write_at_once(
        cut in 0_u64..20_000, lasts in 0_u64..40_000, step in 20_u64..700,
        silent in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let millis = Duration::from_millis;
        let cutting = if silent { LeaseServer::silence } else { LeaseServer::cut };
        let (both, ..) = runtime.block_on(play(millis(cut), millis(cut + lasts), cutting, millis(step)));
        prop_assert!(!both);
    }
}
