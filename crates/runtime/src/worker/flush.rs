//! One lap's beginnings: everything that can be begun without waiting, in the order in which it helps most.

use super::dispatcher::Dispatcher;

impl Dispatcher {
    /// Begins whatever can be begun now.
    pub fn begin_all(&mut self) {
        self.end_late_attempts();
        self.drain();
        self.begin_session();
        self.begin_commit();
        self.begin_hand_back();
        self.begin_close_old();
        self.begin_held();
        self.begin_check();
        self.begin_reap();
        self.begin_claim();
        self.begin_look();
        self.reach_out();
    }

    /// Tells the executor everything of this lap at once. Starts go first: one of them may be among the aborts.
    pub fn reach_out(&mut self) {
        if !self.attempts.is_empty() {
            self.around.executor.run(std::mem::take(&mut self.attempts));
        }
        if !self.aborts.is_empty() {
            self.around.executor.abort(std::mem::take(&mut self.aborts));
        }
    }
}
