//! Objects that may not parse: one stored object of another shape must not blind us to the rest.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::{DynamicResourceScope, error_boundary::InvalidObject};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A kind that the kit can watch and write.
pub trait Kind:
    Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static
{
}

impl<K> Kind for K where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static
{
}

/// An object as the API server stores it. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Guarded<K> {
    /// It parses.
    Valid(Arc<K>),
    /// Only its metadata parses.
    Invalid(Arc<InvalidObject>),
}

impl<K> Guarded<K> {
    /// The object, unless it is invalid.
    pub fn valid(&self) -> Option<&Arc<K>> {
        match self {
            Self::Valid(object) => Some(object),
            Self::Invalid(_) => None,
        }
    }
}

impl<K: Kind> From<K> for Guarded<K> {
    fn from(object: K) -> Self {
        Self::Valid(Arc::new(object))
    }
}

/// What every object has, whatever its shape.
#[derive(Deserialize)]
struct Any {
    metadata: ObjectMeta,
}

impl<'de, K: Kind> Deserialize<'de> for Guarded<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if let Ok(object) = K::deserialize(&value) {
            return Ok(Self::Valid(Arc::new(object)));
        }
        // Parsed again for the path of the field, which is not kept track of for the many that parse.
        match serde_path_to_error::deserialize::<_, K>(&value) {
            Ok(object) => Ok(Self::Valid(Arc::new(object))),
            Err(error) => {
                let Any { metadata } = Any::deserialize(&value).map_err(D::Error::custom)?;
                let error = error.to_string();
                Ok(Self::Invalid(Arc::new(InvalidObject { error, metadata })))
            }
        }
    }
}

impl<K: Kind> Resource for Guarded<K> {
    type DynamicType = ();
    // Lets one function build the path of a kind of either scope.
    type Scope = DynamicResourceScope;

    fn kind(dt: &()) -> Cow<'_, str> {
        K::kind(dt)
    }

    fn group(dt: &()) -> Cow<'_, str> {
        K::group(dt)
    }

    fn version(dt: &()) -> Cow<'_, str> {
        K::version(dt)
    }

    fn plural(dt: &()) -> Cow<'_, str> {
        K::plural(dt)
    }

    fn meta(&self) -> &ObjectMeta {
        match self {
            Self::Valid(object) => object.meta(),
            Self::Invalid(invalid) => &invalid.metadata,
        }
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        match self {
            Self::Valid(object) => Arc::make_mut(object).meta_mut(),
            Self::Invalid(invalid) => &mut Arc::make_mut(invalid).metadata,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_of_another_shape_keeps_its_metadata() {
        let object: Guarded<ConfigMap> = serde_json::from_value(json!({
            "metadata": {"name": "a", "namespace": "n", "uid": "u"},
            "data": "not a map",
        }))
        .unwrap();
        assert!(object.valid().is_none());
        assert_eq!(object.meta().uid.as_deref(), Some("u"));
    }

    #[test]
    fn an_object_of_another_shape_says_which_field_has_it() {
        let object: Guarded<ConfigMap> =
            serde_json::from_value(json!({"metadata": {}, "data": {"a": {}}})).unwrap();
        let Guarded::Invalid(invalid) = object else {
            panic!("it parses");
        };
        assert_eq!(
            invalid.error,
            "data.a: invalid type: map, expected a string"
        );
    }

    #[test]
    fn a_clone_shares_the_object() {
        let one = Guarded::from(ConfigMap::default());
        let other = one.clone();
        assert!(Arc::ptr_eq(one.valid().unwrap(), other.valid().unwrap()));
    }
}
