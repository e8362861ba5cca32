//! An in-memory hypervisor with faults on demand.
