//! How many calls a machine costs, from the wish to the machine, while it runs, and to its end.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, ensure};
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

/// The calls that make a machine, and those that remove it.
async fn life(case: &Case) -> Result<(Vec<Call>, Vec<Call>)> {
    case.gate.forget();
    case.create_machine("vm", "a").await?;
    case.machine_ready("vm", "a").await?;
    case.settled().await?;
    let create = case.gate.calls();

    case.gate.forget();
    case.delete_machine("vm").await?;
    case.machine_gone("vm").await?;
    case.settled().await?;
    Ok((create, case.gate.calls()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_costs_the_writes_that_its_sequence_names() -> Result<()> {
    let platform = Platform::start().await?;
    let case = Case::start(&platform, Options::default()).await?;

    let (mut create, mut delete) = life(&case).await?;
    for _ in 1..ATTEMPTS {
        if !create.iter().chain(&delete).any(|call| call.verb == "list") {
            break;
        }
        (create, delete) = life(&case).await?;
    }
    show("create", &create);
    show("delete", &delete);

    assert_eq!(bill(&create), expected(&CREATE), "create");
    assert_eq!(bill(&delete), expected(&DELETE), "delete");
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
    let others: Vec<_> = calls.iter().filter(|call| !call.is_look()).collect();
    assert!(others.is_empty(), "{others:?}");
    Ok(())
}
