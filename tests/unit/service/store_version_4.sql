-- The tables of version 4 of the store, with a few rows in each. Tests make a store from it and upgrade it.
PRAGMA application_id = 1634758004;
CREATE TABLE applications(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL, machine TEXT NOT NULL, version TEXT NOT NULL,
  change INTEGER NOT NULL DEFAULT 0, fitted_change INTEGER NOT NULL DEFAULT 0,
  UNIQUE(name, machine, version));
CREATE TABLE runs(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  application INTEGER NOT NULL REFERENCES applications(id),
  procs INTEGER NOT NULL, params TEXT NOT NULL, repetition INTEGER NOT NULL,
  started_at TEXT NOT NULL, elapsed_s REAL NOT NULL,
  received_at TEXT NOT NULL, pushed_by TEXT NOT NULL,
  profile BLOB NOT NULL, profile_bytes INTEGER NOT NULL,
  is_judged INTEGER NOT NULL DEFAULT 0,
  taken_out_because TEXT, taken_out_by TEXT, taken_out_at TEXT);
CREATE INDEX runs_of_application ON runs(application, number);
CREATE TABLE models(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application INTEGER NOT NULL REFERENCES applications(id),
  number INTEGER NOT NULL, change INTEGER NOT NULL, made_at TEXT NOT NULL,
  is_good INTEGER NOT NULL, message TEXT NOT NULL, sparkline TEXT NOT NULL,
  max_procs INTEGER NOT NULL, model BLOB, model_bytes INTEGER NOT NULL,
  report BLOB, report_bytes INTEGER NOT NULL,
  UNIQUE(application, number));
CREATE TABLE model_runs(
  model INTEGER NOT NULL REFERENCES models(id), run TEXT NOT NULL REFERENCES runs(id),
  PRIMARY KEY(model, run)) WITHOUT ROWID;
CREATE TABLE forecasts(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL UNIQUE REFERENCES runs(id),
  application INTEGER NOT NULL REFERENCES applications(id),
  model INTEGER NOT NULL REFERENCES models(id),
  made_at TEXT NOT NULL, procs INTEGER NOT NULL, params TEXT NOT NULL, factor REAL NOT NULL,
  is_repeat INTEGER NOT NULL, confidence REAL NOT NULL, elapsed_s REAL NOT NULL,
  predicted_s REAL, low_s REAL, high_s REAL, measured_s REAL,
  is_covered INTEGER NOT NULL, note TEXT NOT NULL);
CREATE INDEX forecasts_of_application ON forecasts(application, number);
CREATE TABLE tokens(
  id TEXT PRIMARY KEY, name TEXT NOT NULL, secret_hash TEXT NOT NULL, role TEXT NOT NULL,
  made_at TEXT NOT NULL, revoked_at TEXT NOT NULL DEFAULT '');
INSERT INTO applications VALUES(1, 'halo2d', 'node', 'v1', 3, 3);
INSERT INTO applications VALUES(2, 'lu', 'node', 'v1', 0, 0);
INSERT INTO runs VALUES(1, '8783defc6426bc23feb9436aea5eead901595c9a227777f602ac7aa1b32481b4', 1, 2, '{"n":1000.0}', 1, '2026-01-01T00:00:00Z', 2.5,
  '2026-01-02T00:00:00Z', 'pusher', X'789cab562a28ca4f2e56b232d251aa50b232ac050031bb0523', 17, 1, 'disturbed', 'keeper', '2026-01-03T00:00:00Z');
INSERT INTO runs VALUES(2, 'c4a85930a508a666e5be7239d9ff3d95ac9d70701c400c7acc81a85d126651c4', 1, 16, '{"n":1000.0}', 1, '2026-01-01T00:00:00Z', 2.5,
  '2026-01-02T00:00:00Z', 'pusher', X'789cab562a28ca4f2e56b23234d351aa0052b50036b50558', 18, 1, NULL, NULL, NULL);
INSERT INTO models VALUES(1, 1, 1, 3, '2026-01-02T00:00:01Z', 1, '', '', 2, X'789c4b54c8cd4f49cd010009ad0293', 7, X'789c4b54284a2dc82f2a01000cfa031e', 8);
INSERT INTO model_runs VALUES(1, '8783defc6426bc23feb9436aea5eead901595c9a227777f602ac7aa1b32481b4');
INSERT INTO forecasts VALUES(1, 'c4a85930a508a666e5be7239d9ff3d95ac9d70701c400c7acc81a85d126651c4', 1, 1, '2026-01-02T00:00:02Z', 16, '{"n":1000.0}', 8.0, 0, 0.8, 2.5,
  1.25, 1.0, 1.5, 1.375, 1, '');
INSERT INTO tokens VALUES('0123456789abcdef', 'an old one', '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b', 'keeper',
  '2026-01-01T00:00:00Z', '');
ALTER TABLE tokens ADD COLUMN expires_at TEXT NOT NULL DEFAULT '';
CREATE TABLE audit(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, subject TEXT NOT NULL,
  detail TEXT NOT NULL);
UPDATE tokens SET expires_at = '2030-01-01T00:00:00Z';
INSERT INTO audit VALUES(1, '2026-01-01T00:00:00Z', 'command line', 'token add', '0123456789abcdef', 'keeper');
CREATE TABLE histories(
  name TEXT NOT NULL, machine TEXT NOT NULL, made_at TEXT NOT NULL,
  report BLOB NOT NULL, report_bytes INTEGER NOT NULL,
  page BLOB NOT NULL, page_bytes INTEGER NOT NULL,
  PRIMARY KEY(name, machine));
INSERT INTO histories VALUES('halo2d', 'node', '2026-01-03T00:00:00Z', X'789c4b54c8cd4f49cd010009ad0293', 7, X'789c4b54284a2dc82f2a01000cfa031e', 8);
ALTER TABLE tokens ADD COLUMN applications TEXT NOT NULL DEFAULT '[]';
UPDATE tokens SET applications = '["halo2d"]';
PRAGMA user_version = 4;
