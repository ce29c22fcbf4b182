//! The life of runs, told as stories: a flow, what happens to it, and what it wants next.

mod run;

mod asking_twice;
mod chains;
mod crashes;
mod delays;
mod forks;
mod random;
mod retries;
mod scale;
mod signals;
mod timeouts;
mod unknown_nodes;
