-- Full-text search over vulnerabilities; a trigger writes only when a searched column really changes.
CREATE VIRTUAL TABLE vulns_fts USING fts5(cveid, summary, keywords, content='vulns', content_rowid='id', tokenize="unicode61 remove_diacritics 2");
--> statement-breakpoint
-- A rejected vulnerability is found by its id only.
CREATE TRIGGER vulns_fts_insert AFTER INSERT ON vulns WHEN new.state <> 'rejected' BEGIN
  INSERT INTO vulns_fts(rowid, cveid, summary, keywords) VALUES (new.id, new.cveid, new.summary, new.keywords);
END;
--> statement-breakpoint
CREATE TRIGGER vulns_fts_remove AFTER UPDATE OF cveid, summary, keywords, state ON vulns
WHEN old.state <> 'rejected' AND (new.state = 'rejected' OR old.cveid IS NOT new.cveid OR old.summary IS NOT new.summary OR old.keywords IS NOT new.keywords) BEGIN
  INSERT INTO vulns_fts(vulns_fts, rowid, cveid, summary, keywords) VALUES ('delete', old.id, old.cveid, old.summary, old.keywords);
END;
--> statement-breakpoint
CREATE TRIGGER vulns_fts_replace AFTER UPDATE OF cveid, summary, keywords, state ON vulns
WHEN new.state <> 'rejected' AND (old.state = 'rejected' OR old.cveid IS NOT new.cveid OR old.summary IS NOT new.summary OR old.keywords IS NOT new.keywords) BEGIN
  INSERT INTO vulns_fts(rowid, cveid, summary, keywords) VALUES (new.id, new.cveid, new.summary, new.keywords);
END;
--> statement-breakpoint
CREATE TRIGGER vulns_fts_delete AFTER DELETE ON vulns WHEN old.state <> 'rejected' BEGIN
  INSERT INTO vulns_fts(vulns_fts, rowid, cveid, summary, keywords) VALUES ('delete', old.id, old.cveid, old.summary, old.keywords);
END;
--> statement-breakpoint
-- Names are found by any part of them. A name never changes, so there is nothing to update.
CREATE VIRTUAL TABLE products_fts USING fts5(name, vendor, content='products', content_rowid='id', tokenize='trigram');
--> statement-breakpoint
CREATE TRIGGER products_fts_insert AFTER INSERT ON products BEGIN
  INSERT INTO products_fts(rowid, name, vendor) VALUES (new.id, new.name, new.vendor);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE vendors_fts USING fts5(name, content='vendors', content_rowid='id', tokenize='trigram');
--> statement-breakpoint
CREATE TRIGGER vendors_fts_insert AFTER INSERT ON vendors BEGIN
  INSERT INTO vendors_fts(rowid, name) VALUES (new.id, new.name);
END;
--> statement-breakpoint
-- Each counter is written in the batch that changes what it counts.
INSERT INTO counters(name, value) VALUES
  ('vulns', 0), ('vulns_exploitable', 0), ('vulns_remote', 0), ('exploits', 0), ('threats', 0), ('kb_version', 0), ('alerts_planned_to', 0);
