//! Measures the reconcilers: what a machine costs in requests, memory and CPU, and how fast machines
//! come up beside what the API server alone can take. `docs/performance.md` has the method.

mod ceiling;
mod fleet;
mod machines;
mod process;
mod report;
mod run;

use anyhow::Result;
use banlieue_tests::tools::checkout;
use clap::Parser;

use report::Report;
use run::Run;

/// Measures the reconcilers on a real API server and simulated hypervisors.
#[derive(Parser)]
struct Arguments {
    /// 100 machines on 4 Providers, to see that it works.
    #[arg(long)]
    quick: bool,
    /// Machines of each run, instead of 1000 and 5000.
    #[arg(long, num_args = 1.., value_name = "NUMBER")]
    machines: Vec<usize>,
    /// Put the tables into docs/performance.md.
    #[arg(long)]
    write: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let (sizes, providers) = if arguments.quick {
        (vec![100], 4)
    } else {
        (vec![1000, 5000], 20)
    };
    let sizes = match arguments.machines.as_slice() {
        [] => sizes,
        chosen => chosen.to_vec(),
    };
    let mut report = Report::default();
    for machines in sizes {
        eprintln!("bench-core: {machines} machines on {providers} Providers");
        report.runs.push(Run::measure(machines, providers).await?);
    }
    let folder = checkout().join("target/bench");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("core.json"), report.to_json()?)?;
    let text = report.to_markdown();
    std::fs::write(folder.join("core.md"), &text)?;
    print!("{text}");
    if arguments.write {
        let page = checkout().join("docs/performance.md");
        let filled = report.fill(&std::fs::read_to_string(&page)?);
        std::fs::write(page, filled)?;
    }
    Ok(())
}
