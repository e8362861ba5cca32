//! Nobody may do more than they do: without any one of its rights, a process is refused a request
//! that its flows make.
//!
//! All flows run once, under the rendered rules, on an API server that records who asked what.
//! From the record follows for each right, which is one verb on one resource in one role, a request
//! that nothing else would have allowed. That request is then made again by somebody with all
//! rights of the process except that one, and the API server has to refuse it.

mod everyday;

use std::process::Command;

use anyhow::{Result, ensure};
use banlieue_schemas::access::Workload;
use banlieue_schemas::manifests::Settings;
use banlieue_schemas::manifests::rbac::{
    BOOTSTRAP_DATA_ROLE, OPERATOR_CREDENTIALS_ROLE, USER_DATA_ROLE,
};
use banlieue_schemas::names;
use banlieue_tests::cluster::Options;
use banlieue_tests::live::{Platform, SYSTEM, program};
use banlieue_tests::requests::{Request, RoleName, Roles, StandIns, Use, uses};
use banlieue_tests::tools::Tool;
use banlieue_tests::wait::eventually;

/// Namespace of Providers and machines.
const TEAM: &str = "team";

/// Who controller and operator are.
const CONTROLLER: &str = "system:serviceaccount:banlieue-system:banlieue-controller";
const OPERATOR: &str = "system:serviceaccount:banlieue-system:banlieue-operator";

/// Workloads that do nothing yet, and why; the arguments that would start a process of theirs.
const PENDING: [(Workload, &str, &[&str]); 4] = [
    (
        Workload::ImageBuilder,
        "the program has no image builder",
        &["imagebuilder"],
    ),
    (
        Workload::ProviderVsphere,
        "the program has no backend for vCenters",
        &["provider", "vsphere"],
    ),
    (
        Workload::ProviderLibvirt,
        "the program has no backend for libvirt hosts",
        &["provider", "libvirt"],
    ),
    (
        Workload::CapiInfrastructure,
        "Cluster API's own manager has these rights, and none runs here",
        &[],
    ),
];

/// Each process, and every role that it has to have.
fn holders() -> [(Workload, String, Vec<RoleName>); 3] {
    let builds = Settings::default().image_builder_namespace;
    let instance = names::workload("sim", "east");
    [
        (
            Workload::Controller,
            CONTROLLER.to_owned(),
            vec![
                RoleName::cluster(Workload::Controller.name()),
                RoleName::of(SYSTEM, Workload::Controller.name()),
                RoleName::of(TEAM, USER_DATA_ROLE),
            ],
        ),
        (
            Workload::Operator,
            OPERATOR.to_owned(),
            vec![
                RoleName::cluster(Workload::Operator.name()),
                RoleName::of(&builds, Workload::Operator.name()),
                RoleName::of(TEAM, OPERATOR_CREDENTIALS_ROLE),
            ],
        ),
        (
            Workload::ProviderSim,
            format!("system:serviceaccount:{TEAM}:{instance}"),
            vec![
                RoleName::cluster(Workload::ProviderSim.name()),
                RoleName::of(TEAM, BOOTSTRAP_DATA_ROLE),
                RoleName::of(TEAM, &instance),
            ],
        ),
    ]
}

#[tokio::test]
async fn without_any_one_right_a_request_of_some_flow_is_refused() -> Result<()> {
    let capi = Tool::Crds.path()?.join("cluster-api");
    let crds =
        ["clusters", "machines"].map(|kind| capi.join(format!("cluster.x-k8s.io_{kind}.yaml")));
    let platform = Platform::on(Options {
        manifests: crds.into(),
        recording: true,
        ..Options::default()
    })
    .await?;
    platform.install(&[]).await?;
    everyday::live(&platform).await?;

    let roles = Roles::load(&platform.client()).await?;
    for (workload, user, expected) in holders() {
        let mut held = roles.held_by(&user);
        held.sort();
        ensure!(held == expected, "{workload:?} has {held:?}");
    }
    let requests = eventually("every right to be used", async || {
        let requests = platform.cluster().api().requests()?;
        let idle = holders()
            .into_iter()
            .flat_map(|(_, user, _)| uses(&roles, &user, &requests).1);
        let idle: Vec<_> = idle.map(|right| right.to_string()).collect();
        ensure!(idle.is_empty(), "not needed:\n{}", idle.join("\n"));
        Ok(requests)
    })
    .await?;
    pending(&requests)?;

    let mut stand_ins = StandIns::new(platform.client(), &roles);
    for (workload, user, held) in holders() {
        let (needs, _) = uses(&roles, &user, &requests);
        for need in &needs {
            refused(&mut stand_ins, &held, &roles, need).await?;
        }
        println!("{workload:?}: {} rights, each needed", needs.len());
    }
    Ok(())
}

/// Checks that a request passes with all rights, and not without the one that it needs.
async fn refused(
    stand_ins: &mut StandIns<'_>,
    held: &[RoleName],
    roles: &Roles,
    need: &Use<'_>,
) -> Result<()> {
    let Use {
        right,
        ask,
        request,
    } = need;
    let whole = stand_ins.whole(held).await?;
    let without = stand_ins.without(held, right).await?;
    // RBAC learns of new roles and bindings a moment later.
    eventually("the rights to be known", async || {
        let status = stand_ins.repeat(&whole, need).await?;
        ensure!(status != 403, "refused in spite of all rights: {request:?}");
        for other in roles.rights(&right.role).iter().filter(|it| *it != right) {
            let mut asked = ask.clone();
            asked.verb.clone_from(&other.verb);
            asked.group.clone_from(&other.group);
            asked.resource.clone_from(&other.resource);
            asked.namespace.clone_from(&other.role.namespace);
            asked.name = other.names.first().cloned();
            ensure!(stand_ins.may(&without, &asked).await?, "not yet {other}");
        }
        Ok(())
    })
    .await?;
    ensure!(
        !stand_ins.may(&without, ask).await?,
        "allowed without {right}"
    );
    let status = stand_ins.repeat(&without, need).await?;
    ensure!(status == 403, "{status} without {right}: {request:?}");
    Ok(())
}

/// Checks that every workload is either looked at or has a reason why not, which still holds.
fn pending(requests: &[Request]) -> Result<()> {
    let looked_at = holders().map(|(workload, _, _)| workload);
    for workload in Workload::ALL {
        let listed = PENDING.iter().any(|(pending, _, _)| *pending == workload);
        ensure!(
            listed != looked_at.contains(&workload),
            "{workload:?} has to be either looked at or listed with a reason"
        );
    }
    for (workload, reason, arguments) in PENDING {
        let role = format!("ClusterRole \"{}\"", workload.name());
        let used = requests
            .iter()
            .find(|request| request.reason.contains(&role));
        ensure!(
            used.is_none(),
            "{workload:?} is in use, though {reason}: {used:?}"
        );
        if arguments.is_empty() {
            continue;
        }
        let told = Command::new(program()?)
            .args(arguments)
            .arg("--help")
            .output()?;
        ensure!(
            !told.status.success(),
            "{workload:?} is there, though {reason}"
        );
    }
    Ok(())
}
