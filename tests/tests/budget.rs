//! How many calls a machine costs, from the wish to the machine, while it runs, and to its end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use banlieue_tests::platform::flow::Flow;
use banlieue_tests::platform::gate::Call;
use banlieue_tests::platform::{Case, Options, Platform};
use banlieue_tests::wait::eventually;

/// Looks at a machine that is as wanted, in which nothing else may be called.
const LOOKS: usize = 20;

/// What each write is for, in order: the finalizer of the VirtualMachine, its place, its machine
/// object, that one's provider ID, its status, and that the VirtualMachine is ready. The backend is
/// looked at before each piece of work and after the last one, and once more for the news of what
/// was written.
const CREATE: [(&str, usize); 11] = [
    ("controller: patch virtualmachines", 1),
    ("controller: patch virtualmachines/status", 2),
    ("controller: patch simmachines", 1),
    ("a: patch simmachines", 1),
    ("a: patch simmachines/status", 1),
    ("a: backend create", 1),
    ("a: backend configure", 1),
    ("a: backend disks", 1),
    ("a: backend seed", 1),
    ("a: backend power", 1),
    ("a: backend observe", 7),
];

/// What a deletion and a creation of the machine object cost, and a status of the VirtualMachine for
/// each step of the move.
const SWAP: [(&str, usize); 16] = [
    ("controller: patch virtualmachines/status", 4),
    ("controller: delete simmachines", 1),
    ("a: backend power", 1),
    ("a: backend delete", 1),
    ("a: backend observe", 3),
    ("a: patch simmachines", 1),
    ("controller: get simmachines", 1),
    ("controller: patch simmachines", 1),
    ("b: patch simmachines", 1),
    ("b: patch simmachines/status", 1),
    ("b: backend create", 1),
    ("b: backend configure", 1),
    ("b: backend disks", 1),
    ("b: backend seed", 1),
    ("b: backend power", 1),
    ("b: backend observe", 7),
];

/// The status says what the deletion waits for. The one read is the proof that the machine object
/// is gone, which no cache can give. The last look at the backend is the proof that it has nothing
/// left.
const DELETE: [(&str, usize); 8] = [
    ("controller: delete simmachines", 1),
    ("controller: patch virtualmachines/status", 1),
    ("a: patch simmachines", 1),
    ("controller: get simmachines", 1),
    ("controller: patch virtualmachines", 1),
    ("a: backend power", 1),
    ("a: backend delete", 1),
    ("a: backend observe", 3),
];

/// The API server ends watches as it likes, and those list again: then the count is repeated.
const ATTEMPTS: usize = 4;

/// Calls and how often each was made.
type Bill = BTreeMap<String, usize>;

fn bill(calls: &[Call]) -> Bill {
    let mut bill = Bill::new();
    for call in calls {
        *bill.entry(call.to_string()).or_default() += 1;
    }
    bill
}

fn show(title: &str, calls: &[Call]) {
    let count = |of: fn(&Call) -> bool| calls.iter().filter(|call| of(call)).count();
    println!(
        "{title}: {} writes, {} reads, {} backend calls",
        count(Call::is_write),
        count(Call::is_read),
        count(Call::is_backend)
    );
    for (call, times) in bill(calls) {
        println!("    {times} {call}");
    }
}

fn expected(lines: &[(&str, usize)]) -> Bill {
    lines
        .iter()
        .map(|(call, times)| ((*call).to_owned(), *times))
        .collect()
}

/// The calls of a flow.
async fn cost(platform: &Arc<Platform>, flow: Flow) -> Result<Vec<Call>> {
    let mut attempt = 1;
    loop {
        let case = flow.prepare(platform, Options::default()).await?;
        case.gate.forget();
        flow.run(&case).await?;
        let calls = case.gate.calls();
        let listed = calls.iter().any(|call| call.verb == "list");
        if !listed || attempt == ATTEMPTS {
            return Ok(calls);
        }
        attempt += 1;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_costs_the_calls_that_its_sequence_names() -> Result<()> {
    let platform = Platform::start().await?;
    let flows: [(Flow, &[(&str, usize)]); 3] = [
        (Flow::Create, &CREATE),
        (Flow::Swap, &SWAP),
        (Flow::Delete, &DELETE),
    ];
    for (flow, named) in flows {
        let calls = cost(&platform, flow).await?;
        show(&flow.to_string(), &calls);
        assert_eq!(bill(&calls), expected(named), "{flow}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_that_is_as_wanted_costs_looks_at_its_backend_alone() -> Result<()> {
    let platform = Platform::start().await?;
    let options = Options {
        resync: Duration::from_millis(50),
        ..Options::default()
    };
    let case = Case::start(&platform, options).await?;
    case.create_machine("vm", "a").await?;
    case.machine_ready("vm", "a").await?;
    case.settled().await?;

    case.gate.forget();
    let looked = || async {
        let calls = case.gate.calls();
        let looks = calls.iter().filter(|call| call.what == "observe").count();
        ensure!(looks >= LOOKS, "{looks} looks");
        Ok(calls)
    };
    let calls = eventually("looks", looked).await?;
    show("as wanted", &calls);
    let is_look = |call: &&Call| call.is_backend() && call.is_look();
    let others: Vec<_> = calls.iter().filter(|call| !is_look(call)).collect();
    assert!(others.is_empty(), "{others:?}");
    Ok(())
}
