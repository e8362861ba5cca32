//! Reconcilers of VirtualMachines, images and clusters.
