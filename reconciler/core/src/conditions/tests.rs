#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;

use super::*;

const CONTROLLER: Scope = Scope {
    kind: "VirtualMachine",
    writer: Writer::Controller,
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn ready(truth: Truth, message: &str) -> Wanted {
    Wanted::new(ConditionType::Ready, truth, Reason::Pending, message)
}

fn merged(old: &[Condition], wanted: &[Wanted], now: i64) -> Vec<Condition> {
    merge(CONTROLLER, old, wanted, Some(1), at(now))
}

#[test]
fn the_time_moves_with_the_status_and_with_nothing_else() {
    let first = merged(&[], &[ready(Truth::False, "a")], 10);
    assert_eq!(first[0].last_transition_time, Time(at(10)));
    let reworded = merged(&first, &[ready(Truth::False, "b")], 20);
    assert_eq!(reworded[0].message, "b");
    assert_eq!(reworded[0].last_transition_time, Time(at(10)));
    let turned = merged(&reworded, &[ready(Truth::True, "b")], 30);
    assert_eq!(turned[0].last_transition_time, Time(at(30)));
}

#[test]
fn the_time_is_what_the_api_server_gives_back() {
    let now = Timestamp::from_millisecond(12_999).unwrap();
    let conditions = merge(CONTROLLER, &[], &[ready(Truth::True, "")], None, now);
    assert_eq!(conditions[0].last_transition_time, Time(at(12)));
}

#[test]
fn what_is_true_only_meanwhile_vanishes_afterwards() {
    let paused = |truth| Wanted::new(ConditionType::Paused, truth, Reason::Paused, "");
    let during = merged(&[], &[paused(Truth::True)], 1);
    assert!(is_true(&during, ConditionType::Paused));
    assert_eq!(merged(&during, &[paused(Truth::False)], 2), []);
    assert_eq!(merged(&during, &[], 2), []);
}

#[test]
fn conditions_of_others_are_left_to_them() {
    let old = merged(&[], &[ready(Truth::True, "")], 1);
    let mut foreign = old[0].clone();
    foreign.type_ = "example.com/Checked".into();
    let wanted = [
        ready(Truth::True, ""),
        Wanted::new(
            ConditionType::ProviderReachable,
            true,
            Reason::Reconciled,
            "",
        ),
    ];
    assert_eq!(merged(&[old[0].clone(), foreign], &wanted, 2), old);
}

#[test]
fn a_mirrored_condition_keeps_the_words_of_its_source() {
    let mut source = merged(&[], &[ready(Truth::False, "no space")], 1).remove(0);
    source.reason = "Custom".into();
    let copy = Wanted::mirrored(ConditionType::InfrastructureReady, &source);
    assert_eq!((copy.truth, copy.reason()), (Truth::False, "Custom"));
    source.status = "Perhaps".into();
    let copy = Wanted::mirrored(ConditionType::InfrastructureReady, &source);
    assert_eq!(copy.truth, Truth::Unknown);
}

fn any_wanted() -> impl Strategy<Value = Wanted> {
    let truth = prop_oneof![Just(Truth::True), Just(Truth::False), Just(Truth::Unknown)];
    (
        proptest::sample::select(ConditionType::ALL),
        truth,
        proptest::sample::select(Reason::ALL),
        "\\PC{0,20}",
    )
        .prop_map(|(kind, truth, reason, message)| Wanted::new(kind, truth, reason, message))
}

fn any_scope() -> impl Strategy<Value = Scope> {
    let kinds = [
        "Provider",
        "ProviderClass",
        "VirtualMachine",
        "VMImage",
        "SimMachine",
        "SimCluster",
        "Pod",
    ];
    let writers = [Writer::Controller, Writer::Operator, Writer::Provider];
    (
        proptest::sample::select(kinds.to_vec()),
        proptest::sample::select(writers.to_vec()),
    )
        .prop_map(|(kind, writer)| Scope { kind, writer })
}

proptest! {
    #[test]
    fn merging_again_is_quiet(
        scope in any_scope(),
        before in proptest::collection::vec(any_wanted(), 0..8),
        wanted in proptest::collection::vec(any_wanted(), 0..8),
        later in 0..i64::from(u32::MAX),
    ) {
        let old = merge(scope, &[], &before, Some(1), at(5));
        let once = merge(scope, &old, &wanted, Some(2), at(10));
        prop_assert_eq!(&merge(scope, &once, &wanted, Some(2), at(later)), &once);
        prop_assert!(once.windows(2).all(|pair| pair[0].type_ < pair[1].type_));
    }

    #[test]
    fn a_writer_never_emits_what_it_does_not_own(
        scope in any_scope(), wanted in proptest::collection::vec(any_wanted(), 0..12)
    ) {
        for condition in merge(scope, &[], &wanted, None, at(0)) {
            let kind = ConditionType::ALL.iter().find(|kind| kind.as_str() == condition.type_);
            prop_assert_eq!(owner(scope.kind, *kind.unwrap()), Some(scope.writer));
        }
    }

    #[test]
    fn a_message_is_cut_at_a_character(text in "\\PC{0,600}") {
        let cut = bounded(&text);
        prop_assert!(cut.len() <= MAX_MESSAGE);
        match cut.strip_suffix(ELLIPSIS) {
            Some(start) if cut != text => prop_assert!(text.starts_with(start)),
            _ => prop_assert_eq!(cut, text),
        }
    }
}
