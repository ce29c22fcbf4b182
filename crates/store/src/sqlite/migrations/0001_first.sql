-- The first schema. A published migration is never edited; docs/formats/sqlite.md explains the columns.

-- Definitions by their hash. `registered` tells which one was registered last under a name.
CREATE TABLE pawl_flows (
    flow_no INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    definition TEXT NOT NULL,
    registered INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX pawl_flows_by_name ON pawl_flows (name, registered);

-- One row per life of a run; written when it starts, pauses, resumes and ends.
CREATE TABLE pawl_runs (
    run_no INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    flow_no INTEGER NOT NULL,
    state INTEGER NOT NULL,
    words TEXT,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    deadline_at INTEGER
) STRICT;
CREATE UNIQUE INDEX pawl_runs_by_id ON pawl_runs (id, run_no);
CREATE UNIQUE INDEX pawl_runs_by_flow ON pawl_runs (flow_no, state, run_no);

-- One narrow row per open branch, moved in place. A run that is over has none.
CREATE TABLE pawl_branches (
    run_no INTEGER NOT NULL,
    scope TEXT NOT NULL,
    flow_no INTEGER NOT NULL,
    node TEXT NOT NULL,
    phase INTEGER NOT NULL,
    phase_at INTEGER,
    signal TEXT,
    missing INTEGER,
    input TEXT,
    failures INTEGER NOT NULL,
    timeout_ms INTEGER,
    attempt INTEGER NOT NULL,
    crashes INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    owner INTEGER,
    deadline_at INTEGER,
    lost_deadline_at INTEGER,
    due_at INTEGER,
    held INTEGER NOT NULL,
    PRIMARY KEY (run_no, scope)
) STRICT, WITHOUT ROWID;
-- Work that can be handed out, now or later. A branch that its worker keeps from node to node never enters it.
-- `owner` and `held` are the same in all entries; with them a search need not look into the table.
CREATE INDEX pawl_branches_due ON pawl_branches (flow_no, due_at, owner, held)
    WHERE owner IS NULL AND held = 0 AND due_at IS NOT NULL;
CREATE INDEX pawl_branches_owned ON pawl_branches (owner) WHERE owner IS NOT NULL;

-- What nodes returned, appended in the order of recording; the input of a run has the empty path.
CREATE TABLE pawl_results (
    result_no INTEGER PRIMARY KEY,
    run_no INTEGER NOT NULL,
    path TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    codec INTEGER NOT NULL,
    bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX pawl_results_by_path ON pawl_results (run_no, path);

-- What else happened. `after_result` is the newest result when the event was recorded: it orders the two together.
CREATE TABLE pawl_events (
    event_no INTEGER PRIMARY KEY,
    run_no INTEGER NOT NULL,
    after_result INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    path TEXT,
    failure TEXT,
    detail TEXT
) STRICT;
CREATE INDEX pawl_events_by_run ON pawl_events (run_no);

-- Mailboxes. A message without a key goes when it is read; one with a key stays, without its content.
CREATE TABLE pawl_messages (
    message_no INTEGER PRIMARY KEY,
    run_no INTEGER NOT NULL,
    name TEXT NOT NULL,
    key TEXT,
    sent_at INTEGER NOT NULL,
    read INTEGER NOT NULL,
    codec INTEGER NOT NULL,
    bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX pawl_messages_by_key ON pawl_messages (run_no, name, key) WHERE key IS NOT NULL;
CREATE INDEX pawl_messages_unread ON pawl_messages (run_no, name, message_no) WHERE read = 0;

-- Living workers. A number is never given twice (AUTOINCREMENT), so nobody can take the place of the dead.
CREATE TABLE pawl_sessions (
    session_no INTEGER PRIMARY KEY AUTOINCREMENT,
    worker TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX pawl_sessions_by_expiry ON pawl_sessions (expires_at);
