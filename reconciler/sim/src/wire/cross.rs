//! From the types of the contract to those on the wire and back.

use std::collections::BTreeMap;

use banlieue_schemas::common::{DiskProvisioning, Firmware, MachineAddress, PowerState, StringMap};
use banlieue_schemas::platform::ImageSourceKind;

/// A type of the contract and one on the wire that hold the same.
///
/// `From` would do, were it there for lists and options of other crates' types.
pub(crate) trait Cross<T> {
    /// The same on the other side.
    fn cross(self) -> T;
}

/// Types that are the same on both sides.
macro_rules! same {
    ($($leaf:ty),* $(,)?) => {
        $(impl Cross<$leaf> for $leaf {
            fn cross(self) -> $leaf {
                self
            }
        })*
    };
}

same!(
    bool,
    u8,
    u32,
    u64,
    usize,
    String,
    StringMap,
    BTreeMap<String, u64>,
    DiskProvisioning,
    Firmware,
    MachineAddress,
    PowerState,
    ImageSourceKind,
);

impl<Near: Cross<Far>, Far> Cross<Vec<Far>> for Vec<Near> {
    fn cross(self) -> Vec<Far> {
        self.into_iter().map(Cross::cross).collect()
    }
}

impl<Near: Cross<Far>, Far> Cross<Option<Far>> for Option<Near> {
    fn cross(self) -> Option<Far> {
        self.map(Cross::cross)
    }
}

impl<Near: Cross<Far>, Far> Cross<Box<Far>> for Box<Near> {
    fn cross(self) -> Box<Far> {
        Box::new((*self).cross())
    }
}

/// Declares a struct on the wire with the fields of one of the contract. A field that is missing on
/// either side does not compile.
macro_rules! mirror {
    ($name:ident of $contract:path { $($field:ident: $kind:ty),* $(,)? }) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(crate) struct $name {
            $($field: $kind,)*
        }

        impl Cross<$contract> for $name {
            fn cross(self) -> $contract {
                let Self { $($field),* } = self;
                $contract { $($field: $field.cross()),* }
            }
        }

        impl Cross<$name> for $contract {
            fn cross(self) -> $name {
                let Self { $($field),* } = self;
                $name { $($field: $field.cross()),* }
            }
        }
    };
}
pub(super) use mirror;
