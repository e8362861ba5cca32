//! Words for closed sets of other crates, as they stand in JSON.

/// `#[serde(with = "words::error_kind")]` for [`ErrorKind`].
///
/// [`ErrorKind`]: banlieue_backend::ErrorKind
pub(crate) mod error_kind {
    use banlieue_backend::ErrorKind;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
    pub(crate) fn serialize<S: Serializer>(kind: &ErrorKind, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ErrorKind, D::Error> {
        let word = String::deserialize(from)?;
        ErrorKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .ok_or_else(|| D::Error::custom(format!("no kind of error is called {word:?}")))
    }
}

/// `#[serde(with = "words::step_kind")]` for [`StepKind`].
///
/// [`StepKind`]: banlieue_core::machine::StepKind
pub(crate) mod step_kind {
    use banlieue_core::machine::StepKind;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
    pub(crate) fn serialize<S: Serializer>(kind: &StepKind, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<StepKind, D::Error> {
        let word = String::deserialize(from)?;
        StepKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .ok_or_else(|| D::Error::custom(format!("no step is called {word:?}")))
    }
}
