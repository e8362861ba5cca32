//! Harness: real servers, started and ended by the test that uses them.
