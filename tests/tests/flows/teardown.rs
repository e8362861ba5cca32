//! A deletion ends, also that of what serves it: the processes here are the operator's own, and go
//! with the Provider and the namespace.

use std::cell::Cell;

use anyhow::{Result, ensure};
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::labels::ABANDON;
use banlieue_schemas::platform::{Provider, ProviderClass, VirtualMachine};
use banlieue_tests::live::{self, CREDENTIALS, Platform, ready};
use banlieue_tests::wait::{eventually, until_gone};
use banlieue_tests::workload::create;
use futures::future::join_all;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource, ResourceExt as _};
use serde::de::DeserializeOwned;
use serde_json::{json, to_value};

use crate::register::nothing_of;

/// What a user deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Machine,
    Provider,
    Class,
    Secret,
    Namespace,
}

use Target::{Class, Machine, Namespace as Everything, Provider as Backend, Secret as Login};

/// Name of the order in which the hypervisor ends no work any more.
const STUCK: &str = "stuck";

/// Each thing comes first once.
const ORDERS: [(&str, [Target; 5]); 6] = [
    ("machine", [Machine, Login, Backend, Class, Everything]),
    ("backend", [Backend, Class, Login, Machine, Everything]),
    ("class", [Class, Backend, Machine, Login, Everything]),
    ("login", [Login, Class, Machine, Backend, Everything]),
    ("everything", [Everything, Class, Machine, Backend, Login]),
    (STUCK, [Everything, Machine, Login, Backend, Class]),
];

/// A namespace with a Provider, a class and a machine, all of its name.
struct Team<'a> {
    platform: &'a Platform,
    client: Client,
    name: &'static str,
}

impl Team<'_> {
    async fn set_up(&self) -> Result<()> {
        let Self { client, name, .. } = self;
        live::prepare(client, name, &[name]).await?;
        let classes: Api<ProviderClass> = Api::all(client.clone());
        let mut class = classes.get("sim").await?;
        class.metadata = serde_json::from_value(json!({"name": name}))?;
        class.status = None;
        classes.create(&PostParams::default(), &class).await?;
        let mut provider = live::provider(name, &self.platform.simulator().endpoint(name));
        provider["spec"]["providerClassRef"]["name"] = to_value(name)?;
        create::<Provider>(client, name, provider).await?;
        ready(&self.api::<Provider>(), name).await?;
        create::<VirtualMachine>(client, name, live::virtual_machine(name, name)).await?;
        ready(&self.api::<VirtualMachine>(), name).await?;
        Ok(())
    }

    fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        Api::namespaced(self.client.clone(), self.name)
    }

    async fn delete(&self, target: Target) -> Result<()> {
        let (client, name) = (&self.client, self.name);
        match target {
            Machine => delete::<VirtualMachine>(&self.api(), name).await,
            Backend => delete::<Provider>(&self.api(), name).await,
            Login => delete::<Secret>(&self.api(), &format!("{name}-{CREDENTIALS}")).await,
            Class => delete::<ProviderClass>(&Api::all(client.clone()), name).await,
            Everything => delete::<Namespace>(&Api::all(client.clone()), name).await,
        }
    }

    /// Gives up every machine whose status asks a person for it, and answers how many.
    async fn give_up(&self) -> Result<usize> {
        let machines: Api<SimMachine> = self.api();
        let mut asked = 0;
        for machine in machines.list(&ListParams::default()).await?.items {
            let status = to_value(&machine.status)?.to_string();
            let Some(uid) = machine.uid().filter(|_| status.contains(ABANDON)) else {
                continue;
            };
            let given_up = Patch::Merge(json!({"metadata": {"annotations": {ABANDON: uid}}}));
            let params = PatchParams::default();
            machines
                .patch_metadata(&machine.name_any(), &params, &given_up)
                .await?;
            asked += 1;
        }
        Ok(asked)
    }

    /// Deletes everything in an order, and fails if anything is left.
    async fn goes(&self, order: [Target; 5]) -> Result<()> {
        let world = self.platform.simulator().control(self.name)?;
        world.set_single_step(self.name == STUCK).await?;
        for target in order {
            if target == Everything && order[0] != Everything {
                until_gone(&self.api::<VirtualMachine>(), self.name).await?;
                until_gone(&self.api::<Provider>(), self.name).await?;
            }
            self.delete(target).await?;
        }
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        let given_up = Cell::new(0);
        eventually("the namespace to be gone", async || {
            given_up.set(given_up.get().max(self.give_up().await?));
            let left = namespaces.get_opt(self.name).await?;
            ensure!(left.is_none(), "still there: {left:?}");
            Ok(())
        })
        .await?;
        let given_up = given_up.get();
        nothing_of(&self.client, self.name).await;
        let machines = self.platform.simulator().machines(self.name).await?;
        println!("{order:?}: {given_up} given up, {} left", machines.len());
        ensure!(machines.len() == given_up, "left: {machines:?}");
        let may = match self.name {
            STUCK => 1..=1,
            "everything" => 0..=1,
            _ => 0..=0,
        };
        ensure!(may.contains(&given_up), "{given_up} given up");
        Ok(())
    }
}

/// Deletes an object, if it is still there.
async fn delete<K>(api: &Api<K>, name: &str) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + DeserializeOwned,
{
    match api.delete(name, &DeleteParams::default()).await {
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
        deleted => Ok(deleted.map(drop)?),
    }
}

/// Where everything goes at once, the process may go before the machine, and the login with it:
/// then a person gives the machine up, as its status asks.
#[tokio::test]
async fn everything_goes_in_whatever_order_with_the_process_that_serves_it() {
    let platform = Platform::start().await.unwrap();
    let client = platform.client();
    live::offer(&client, &ORDERS.map(|(name, _)| name))
        .await
        .unwrap();
    let teams = ORDERS.map(|(name, order)| {
        let (platform, client) = (&platform, client.clone());
        let team = Team {
            platform,
            client,
            name,
        };
        async move {
            team.set_up().await.unwrap();
            (team.goes(order).await, order)
        }
    });
    for (result, order) in join_all(teams).await {
        result.unwrap_or_else(|error| panic!("{order:?}: {error:?}"));
    }
}
