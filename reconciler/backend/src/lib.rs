//! The contract of a hypervisor, and the suite that every backend passes.
