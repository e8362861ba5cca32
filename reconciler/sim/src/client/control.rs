//! The hands of a person on a simulator in another process.

use axum::http::Method;
use banlieue_backend::{BackendError, Endpoint};
use banlieue_core::machine::Identity;
use banlieue_schemas::common::PowerState;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::DEADLINE;
use super::address::Address;
use super::http::{Http, HttpError};
use crate::server::control::{Calls, Removal, Stranger};
use crate::world::fault::{Rule, Watched};
use crate::world::state::WorldState;

/// Controls one world. Every call fails when the server does not answer or has nothing by that
/// name.
#[derive(Clone)]
pub struct Control {
    http: Http,
    base: String,
}

impl Control {
    /// Controls the world that backends reach at that endpoint.
    ///
    /// # Errors
    /// The endpoint is not one of a simulator.
    pub fn of(endpoint: &Endpoint) -> Result<Self, BackendError> {
        let address = Address::parse(&endpoint.url)?;
        Ok(Self {
            http: Http::new(&address.authority, DEADLINE),
            base: format!("/control/worlds/{}", address.world),
        })
    }

    /// All of the world.
    pub async fn state(&self) -> Result<WorldState, HttpError> {
        self.get("").await
    }

    /// The calls that were made.
    pub async fn calls(&self) -> Result<Calls, HttpError> {
        self.get("/calls").await
    }

    /// Forgets the calls and begins to count anew.
    pub async fn clear_calls(&self) -> Result<(), HttpError> {
        self.send(Method::DELETE, "/calls", &()).await
    }

    /// The faults, and what became of them.
    pub async fn faults(&self) -> Result<Vec<Watched>, HttpError> {
        self.get("/faults").await
    }

    /// Adds a fault.
    pub async fn add_fault(&self, rule: &Rule) -> Result<(), HttpError> {
        self.send(Method::POST, "/faults", rule).await
    }

    /// Removes all faults.
    pub async fn clear_faults(&self) -> Result<(), HttpError> {
        self.send(Method::DELETE, "/faults", &()).await
    }

    /// Whether work ends by hand from now on.
    pub async fn set_single_step(&self, on: bool) -> Result<(), HttpError> {
        self.send(Method::PUT, "/single-step", &on).await
    }

    /// Changes the password that clients have to show, and ends every session. None lets everybody
    /// in.
    pub async fn set_password(&self, password: Option<&str>) -> Result<(), HttpError> {
        self.send(Method::PUT, "/password", &password).await
    }

    /// Ends one piece of work.
    pub async fn finish_task(&self, id: u64) -> Result<(), HttpError> {
        let path = format!("/tasks/{id}/finish");
        self.send(Method::POST, &path, &()).await
    }

    /// Ends all work, and says how much it was.
    pub async fn finish_tasks(&self) -> Result<usize, HttpError> {
        self.send(Method::POST, "/tasks/finish", &()).await
    }

    /// Skips so many milliseconds.
    pub async fn skip(&self, millis: u64) -> Result<(), HttpError> {
        self.send(Method::POST, "/skip", &millis).await
    }

    /// Makes a machine that is not ours.
    pub async fn place_stranger(&self, stranger: &Stranger) -> Result<(), HttpError> {
        self.send(Method::POST, "/strangers", stranger).await
    }

    /// Removes a machine by hand, or all of it but its disks.
    pub async fn remove(&self, identity: &Identity, leave_disks: bool) -> Result<(), HttpError> {
        let path = machine(identity, "remove");
        self.send(Method::POST, &path, &Removal { leave_disks })
            .await
    }

    /// Attaches a disk that was not made for the machine.
    pub async fn attach(&self, identity: &Identity, disk: &str) -> Result<(), HttpError> {
        let path = machine(identity, "attach");
        self.send(Method::POST, &path, &disk).await
    }

    /// Switches a machine by hand.
    pub async fn power(&self, identity: &Identity, to: PowerState) -> Result<(), HttpError> {
        let path = machine(identity, "power");
        self.send(Method::POST, &path, &to).await
    }

    /// What the guest of a machine reads on its first boot.
    pub async fn user_data(&self, identity: &Identity) -> Result<String, HttpError> {
        self.get(&machine(identity, "user-data")).await
    }

    /// Puts an image with a disk of so many GiB into a zone.
    pub async fn put_image(
        &self,
        (datacenter, cluster): (&str, &str),
        name: &str,
        size_gib: u32,
    ) -> Result<(), HttpError> {
        let path = format!("/zones/{datacenter}/{cluster}/images/{name}");
        self.send(Method::PUT, &path, &size_gib).await
    }

    /// Removes an image from a zone.
    pub async fn remove_image(
        &self,
        (datacenter, cluster): (&str, &str),
        name: &str,
    ) -> Result<(), HttpError> {
        let path = format!("/zones/{datacenter}/{cluster}/images/{name}");
        self.send(Method::DELETE, &path, &()).await
    }

    async fn get<A: DeserializeOwned>(&self, path: &str) -> Result<A, HttpError> {
        self.send(Method::GET, path, &()).await
    }

    async fn send<A: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<A, HttpError> {
        let path = format!("{}{path}", self.base);
        self.http.send(method, &path, body).await
    }
}

fn machine(identity: &Identity, what: &str) -> String {
    format!("/machines/{}/{what}", identity.uid())
}
