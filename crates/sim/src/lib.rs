//! pawl-sim
