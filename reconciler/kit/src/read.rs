//! A look at one object, past every cache.
//!
//! For what no cache can answer: an object of a kind that is not watched, or whether an object is
//! gone for certain. A cache that lost its watch and got an empty list looks the same as one of
//! which everything was deleted.

use kube::Client;

use crate::api;
use crate::errors::{ApiError, ErrorKind};
use crate::guard::{Guarded, Kind};

/// The object of that name as it is now, `None` if there is none. `namespace` is `None` for
/// cluster-scoped kinds.
pub async fn read<K: Kind>(
    client: &Client,
    namespace: Option<&str>,
    name: &str,
) -> Result<Option<Guarded<K>>, ApiError> {
    match api::objects::<K>(client, namespace).get(name).await {
        Ok(object) => Ok(Some(object)),
        Err(error) if ErrorKind::from(&error) == ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let kind = K::kind(&());
            let object = match namespace {
                Some(namespace) => format!("{kind} {namespace}/{name}"),
                None => format!("{kind} {name}"),
            };
            Err(ApiError::new("read", object, error))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::errors::chain;
    use crate::fake::{Answer, Fake, config_map};

    #[tokio::test]
    async fn not_found_is_an_answer_and_nothing_else_is() {
        let found = Fake::new(|_| Answer::ok(serde_json::to_value(config_map("a")).unwrap()));
        let read = async |fake: &Fake| read::<ConfigMap>(&fake.client(), Some("ns"), "a").await;
        assert!(read(&found).await.unwrap().is_some());
        assert_eq!(
            found.call().line(),
            "GET /api/v1/namespaces/ns/configmaps/a"
        );
        let missing = Fake::refusing(404, "NotFound");
        assert!(read(&missing).await.unwrap().is_none());
        let forbidden = Fake::refusing(403, "Forbidden");
        let error = read(&forbidden).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Forbidden);
        assert!(
            chain(&error)
                .to_string()
                .starts_with("cannot read ConfigMap ns/a: ")
        );
    }
}
