-- Full-text search over vulnerabilities; a trigger writes only when a searched column really changes.
CREATE VIRTUAL TABLE vulns_fts USING fts5(cveid, summary, keywords, content='vulns', content_rowid='id', tokenize="unicode61 remove_diacritics 2");
--> statement-breakpoint
CREATE TRIGGER vulns_fts_insert AFTER INSERT ON vulns BEGIN
  INSERT INTO vulns_fts(rowid, cveid, summary, keywords) VALUES (new.id, new.cveid, new.summary, new.keywords);
END;
--> statement-breakpoint
CREATE TRIGGER vulns_fts_update AFTER UPDATE OF cveid, summary, keywords ON vulns
WHEN old.cveid IS NOT new.cveid OR old.summary IS NOT new.summary OR old.keywords IS NOT new.keywords BEGIN
  INSERT INTO vulns_fts(vulns_fts, rowid, cveid, summary, keywords) VALUES ('delete', old.id, old.cveid, old.summary, old.keywords);
  INSERT INTO vulns_fts(rowid, cveid, summary, keywords) VALUES (new.id, new.cveid, new.summary, new.keywords);
END;
--> statement-breakpoint
CREATE TRIGGER vulns_fts_delete AFTER DELETE ON vulns BEGIN
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
-- The one meaning of "monitored": by itself, by a product, or by a vendor unless that product was taken out.
CREATE VIEW monitored AS
SELECT org_id, vuln_id, 'vuln' AS via, NULL AS vendor_id, NULL AS product_id FROM monitored_vulns
UNION ALL
SELECT p.org_id, l.vuln_id, 'product', l.vendor_id, l.product_id
FROM monitored_products p JOIN vuln_products l ON l.product_id = p.product_id
WHERE p.is_monitored = 1
UNION ALL
SELECT v.org_id, l.vuln_id, 'vendor', l.vendor_id, l.product_id
FROM monitored_vendors v JOIN vuln_products l ON l.vendor_id = v.vendor_id
WHERE NOT EXISTS (
  SELECT 1 FROM monitored_products x WHERE x.org_id = v.org_id AND x.product_id = l.product_id AND x.is_monitored = 0
);
--> statement-breakpoint
INSERT INTO counters(name, value) VALUES
  ('vulns', 0), ('vulns_exploitable', 0), ('vulns_remote', 0), ('exploits', 0), ('threats', 0), ('kb_version', 0), ('alerts_planned_to', 0);
