//! What of a kind comes and goes in a namespace, without ever holding its content.

use futures::{Stream, StreamExt, future};
use kube::core::PartialObjectMeta;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, Event, watcher};
use kube::{Api, Client, ResourceExt};

use crate::errors::chain;
use crate::guard::{Guarded, Kind};

/// Names of the objects that are there, then that of each that changes or goes. Only metadata is
/// asked for, so that waiting for one Secret does not read the others.
///
/// Never ends: a watch that fails is tried again, after waits that grow.
pub fn names<K: Kind>(
    client: &Client,
    namespace: &str,
) -> impl Stream<Item = String> + Send + use<K> {
    type Metadata<K> = PartialObjectMeta<Guarded<K>>;
    let objects = Api::<Metadata<K>>::namespaced_with(client.clone(), namespace, &());
    watcher(objects, Config::default())
        .default_backoff()
        .filter_map(|event| {
            future::ready(match event {
                Ok(Event::InitApply(object) | Event::Apply(object) | Event::Delete(object)) => {
                    Some(object.name_any())
                }
                Ok(Event::Init | Event::InitDone) => None,
                Err(error) => {
                    let error = chain(&error);
                    tracing::info!(kind = %K::kind(&()), %error, "watch failed, trying again");
                    None
                }
            })
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use k8s_openapi::api::core::v1::Secret;
    use serde_json::json;

    use super::*;
    use crate::fake::{Answer, Fake};

    #[tokio::test(start_paused = true)]
    async fn names_are_heard_and_content_is_not_asked_for() {
        let fake = Fake::new(|call| {
            if call.query.contains("watch=true") {
                return Answer::Hang;
            }
            Answer::ok(json!({
                "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
                "metadata": {"resourceVersion": "1"},
                "items": [{"metadata": {"name": "a", "namespace": "ns", "resourceVersion": "1"}}],
            }))
        });
        let mut names = Box::pin(names::<Secret>(&fake.client(), "ns"));
        assert_eq!(names.next().await.unwrap(), "a");
        let list = &fake.calls()[0];
        assert_eq!(list.line(), "GET /api/v1/namespaces/ns/secrets");
        assert!(
            list.accept.contains("as=PartialObjectMetadata"),
            "{}",
            list.accept
        );
    }
}
