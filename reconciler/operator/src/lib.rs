//! Runs one process for each Provider.
