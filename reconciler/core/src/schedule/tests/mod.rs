#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod filters;
mod properties;
mod scores;

use banlieue_schemas::platform::{Scheduled, VirtualMachine, VirtualMachineStatus};

use crate::fixtures::vm;

/// A machine of the namespace that runs in a failure domain.
fn placed(name: &str, provider: &str, failure_domain: &str) -> VirtualMachine {
    let mut vm = vm(name);
    vm.status = Some(VirtualMachineStatus {
        scheduled: Some(Scheduled {
            provider_name: provider.into(),
            failure_domain: failure_domain.into(),
            ..Scheduled::default()
        }),
        ..VirtualMachineStatus::default()
    });
    vm
}

fn labelled(mut vm: VirtualMachine, key: &str, value: &str) -> VirtualMachine {
    let labels = vm.metadata.labels.get_or_insert_default();
    labels.insert(key.into(), value.into());
    vm
}
