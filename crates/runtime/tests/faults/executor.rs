//! Functions of every temper: quick, slow, failing, silent, and answering twice.

use crate::ledger::Ledger;
use crate::rng::Rng;
use pawl_core::turn::ThrownError;
use pawl_core::{ErrorCode, Payload};
use pawl_runtime::{AbortReason, Attempt, AttemptId, AttemptOutcome, Executor, Outcomes};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// See the module.
pub struct Erratic {
    process: usize,
    ledger: Arc<Ledger>,
    rng: Mutex<Rng>,
    outcomes: Mutex<Option<Outcomes>>,
    pub calm: AtomicBool,
    pub dead: AtomicBool,
    probes: Mutex<Vec<Attempt>>,
}

fn thrown() -> ThrownError {
    let message = "as the storm wants it".into();
    ThrownError { code: ErrorCode::StepFailed, message, cause: None, retryable: true, retry_after_ms: None }
}

impl Erratic {
    pub fn new(process: usize, ledger: Arc<Ledger>, rng: Rng) -> Arc<Erratic> {
        Arc::new(Erratic {
            process,
            ledger,
            rng: Mutex::new(rng),
            outcomes: Mutex::default(),
            calm: AtomicBool::new(false),
            dead: AtomicBool::new(false),
            probes: Mutex::default(),
        })
    }

    /// Ends the probes, which run until they are told.
    pub fn finish_probes(&self) {
        for probe in std::mem::take(&mut *self.probes.lock().unwrap()) {
            self.deliver(&probe, AttemptOutcome::Succeeded(self.ledger.output(&probe)));
        }
    }

    fn deliver(&self, attempt: &Attempt, outcome: AttemptOutcome) {
        if !self.dead.load(Ordering::SeqCst) {
            let outcomes = self.outcomes.lock().unwrap().clone().expect("a worker is attached");
            outcomes.deliver(vec![(attempt.id, outcome)]);
        }
    }

    fn succeed(&self, attempt: &Attempt) {
        let output: Payload = self.ledger.output(attempt);
        self.deliver(attempt, AttemptOutcome::Succeeded(output));
    }
}

/// What a function does.
async fn play(executor: Arc<Erratic>, attempt: Attempt) {
    let calm = executor.calm.load(Ordering::SeqCst);
    let (dice, quick, slow, forever) = {
        let mut rng = executor.rng.lock().unwrap();
        (rng.below(100), rng.ms(0, 50), rng.ms(50, 900), rng.ms(1_000, 4_000))
    };
    let timed = attempt.path.as_str() == "a" || attempt.path.as_str().ends_with("timed");
    match if calm { 0 } else { dice } {
        0..45 => executor.succeed(&attempt),
        45..60 => {
            tokio::time::sleep(quick).await;
            executor.succeed(&attempt);
        }
        60..70 => {
            tokio::time::sleep(slow).await;
            executor.succeed(&attempt);
        }
        70..76 => executor.deliver(&attempt, AttemptOutcome::Failed(thrown())),
        76..80 => {
            tokio::time::sleep(slow).await;
            executor.deliver(&attempt, AttemptOutcome::Failed(thrown()));
        }
        80..84 if timed => {}
        80..88 => {
            tokio::time::sleep(forever).await;
            executor.succeed(&attempt);
        }
        88..94 => {
            executor.succeed(&attempt);
            executor.succeed(&attempt);
        }
        _ => {
            executor.succeed(&attempt);
            tokio::time::sleep(quick).await;
            executor.deliver(&attempt, AttemptOutcome::Failed(thrown()));
        }
    }
}

/// An executor as the engine wants it: a handle that can be kept by its functions.
pub struct Handle(pub Arc<Erratic>);

impl Executor for Handle {
    fn run(&self, attempts: Vec<Attempt>) {
        for attempt in attempts {
            let executor = &self.0;
            let begins = executor.outcomes.lock().unwrap().as_ref().is_some_and(Outcomes::may_begin);
            if executor.dead.load(Ordering::SeqCst) {
                continue;
            }
            let shy = !executor.calm.load(Ordering::SeqCst) && executor.rng.lock().unwrap().chance(20);
            if !begins || shy {
                executor.deliver(&attempt, AttemptOutcome::NotBegun);
                continue;
            }
            executor.ledger.began(executor.process, &attempt);
            if attempt.path.as_str() == "probe" {
                executor.probes.lock().unwrap().push(attempt);
            } else {
                tokio::spawn(play(executor.clone(), attempt));
            }
        }
    }

    fn abort(&self, _: Vec<(AttemptId, AbortReason)>) {}

    fn unresponsive_ms(&self) -> i64 {
        0
    }

    fn attached(&self, outcomes: Outcomes) {
        *self.0.outcomes.lock().unwrap() = Some(outcomes);
    }
}
