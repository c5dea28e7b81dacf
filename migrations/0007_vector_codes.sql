DROP INDEX `vulns_by_cvss_vector_aum`;
--> statement-breakpoint
DROP INDEX `vulns_by_cvss_vector_ava`;
--> statement-breakpoint
DROP INDEX `vulns_by_cvss_vector_ach`;
--> statement-breakpoint
DROP INDEX `vulns_by_cvss_vector_ic`;
--> statement-breakpoint
DROP INDEX `vulns_by_cvss_vector_cc`;
--> statement-breakpoint
DROP INDEX `vulns_by_cvss`;
--> statement-breakpoint
DROP INDEX `vulns_by_cvss3`;
--> statement-breakpoint
DROP INDEX `vulns_by_summary`;
--> statement-breakpoint
CREATE INDEX `vulns_without_cvss` ON `vulns` (`updated_at`) WHERE cvss is null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_without_cvss3` ON `vulns` (`updated_at`) WHERE cvss3 is null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_code` ON `vulns` (case when min(instr('LAN', substr(cvss_vector, instr(cvss_vector, 'AV:') + 3, 1)), instr('HML', substr(cvss_vector, instr(cvss_vector, '/AC:') + 4, 1)), instr('MSN', substr(cvss_vector, instr(cvss_vector, '/Au:') + 4, 1)), instr('NPC', substr(cvss_vector, instr(cvss_vector, '/C:') + 3, 1)), instr('NPC', substr(cvss_vector, instr(cvss_vector, '/I:') + 3, 1)), instr('NPC', substr(cvss_vector, instr(cvss_vector, '/A:') + 3, 1))) > 0 then ((((((0 * 3 + instr('LAN', substr(cvss_vector, instr(cvss_vector, 'AV:') + 3, 1)) - 1) * 3 + instr('HML', substr(cvss_vector, instr(cvss_vector, '/AC:') + 4, 1)) - 1) * 3 + instr('MSN', substr(cvss_vector, instr(cvss_vector, '/Au:') + 4, 1)) - 1) * 3 + instr('NPC', substr(cvss_vector, instr(cvss_vector, '/C:') + 3, 1)) - 1) * 3 + instr('NPC', substr(cvss_vector, instr(cvss_vector, '/I:') + 3, 1)) - 1) * 3 + instr('NPC', substr(cvss_vector, instr(cvss_vector, '/A:') + 3, 1)) - 1) else -1 end,`updated_at`) WHERE cvss_vector is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_others` ON `vulns` (cvss_vector,`updated_at`) WHERE not (length(cvss_vector) = 26 and substr(cvss_vector, 1, 18) glob 'AV:[LAN]/AC:[HML]/Au:[MSN]/C:[NPC]' and substr(cvss_vector, 19, 8) glob '/I:[NPC]/A:[NPC]') and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_code` ON `vulns` (case when min(instr('01', substr(cvss3_vector, instr(cvss3_vector, 'CVSS:3.') + 7, 1)), instr('NALP', substr(cvss3_vector, instr(cvss3_vector, '/AV:') + 4, 1)), instr('LH', substr(cvss3_vector, instr(cvss3_vector, '/AC:') + 4, 1)), instr('NLH', substr(cvss3_vector, instr(cvss3_vector, '/PR:') + 4, 1)), instr('NR', substr(cvss3_vector, instr(cvss3_vector, '/UI:') + 4, 1)), instr('UC', substr(cvss3_vector, instr(cvss3_vector, '/S:') + 3, 1)), instr('NLH', substr(cvss3_vector, instr(cvss3_vector, '/C:') + 3, 1)), instr('NLH', substr(cvss3_vector, instr(cvss3_vector, '/I:') + 3, 1)), instr('NLH', substr(cvss3_vector, instr(cvss3_vector, '/A:') + 3, 1))) > 0 then (((((((((0 * 2 + instr('01', substr(cvss3_vector, instr(cvss3_vector, 'CVSS:3.') + 7, 1)) - 1) * 4 + instr('NALP', substr(cvss3_vector, instr(cvss3_vector, '/AV:') + 4, 1)) - 1) * 2 + instr('LH', substr(cvss3_vector, instr(cvss3_vector, '/AC:') + 4, 1)) - 1) * 3 + instr('NLH', substr(cvss3_vector, instr(cvss3_vector, '/PR:') + 4, 1)) - 1) * 2 + instr('NR', substr(cvss3_vector, instr(cvss3_vector, '/UI:') + 4, 1)) - 1) * 2 + instr('UC', substr(cvss3_vector, instr(cvss3_vector, '/S:') + 3, 1)) - 1) * 3 + instr('NLH', substr(cvss3_vector, instr(cvss3_vector, '/C:') + 3, 1)) - 1) * 3 + instr('NLH', substr(cvss3_vector, instr(cvss3_vector, '/I:') + 3, 1)) - 1) * 3 + instr('NLH', substr(cvss3_vector, instr(cvss3_vector, '/A:') + 3, 1)) - 1) else -1 end,`updated_at`) WHERE cvss3_vector is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_others` ON `vulns` (cvss3_vector,`updated_at`) WHERE not (length(cvss3_vector) = 44 and substr(cvss3_vector, 1, 23) glob 'CVSS:3.[01]/AV:[NALP]/AC:[LH]/PR:[NLH]' and substr(cvss3_vector, 24, 17) glob '/UI:[NR]/S:[UC]/C:[NLH]/I:[NLH]' and substr(cvss3_vector, 41, 4) glob '/A:[NLH]') and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss` ON `vulns` (`cvss`,`updated_at`) WHERE cvss is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3` ON `vulns` (`cvss3`,`updated_at`) WHERE cvss3 is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_summary` ON `vulns` (substr(summary, 1, 4)) WHERE state <> 'rejected';
--> statement-breakpoint
ALTER TABLE `org_vulns` ADD `touched` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX `org_vulns_by_touched` ON `org_vulns` (`org_id`,`touched`);
--> statement-breakpoint
-- Nothing ranks names by their length, so how long each is need not be kept.
DROP TABLE products_fts;
--> statement-breakpoint
CREATE VIRTUAL TABLE products_fts USING fts5(name, vendor, content='products', content_rowid='id', columnsize=0, tokenize='trigram');
--> statement-breakpoint
INSERT INTO products_fts(products_fts) VALUES ('rebuild');
--> statement-breakpoint
DROP TABLE vendors_fts;
--> statement-breakpoint
CREATE VIRTUAL TABLE vendors_fts USING fts5(name, content='vendors', content_rowid='id', columnsize=0, tokenize='trigram');
--> statement-breakpoint
INSERT INTO vendors_fts(vendors_fts) VALUES ('rebuild');
--> statement-breakpoint
UPDATE org_vulns SET touched = coalesce((SELECT updated_at FROM vulns WHERE id = vuln_id), 0);
--> statement-breakpoint
DROP TRIGGER org_vulns_link;
--> statement-breakpoint
CREATE TRIGGER org_vulns_link AFTER INSERT ON vuln_products BEGIN
  INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT org_id, new.vuln_id, coalesce((SELECT updated_at FROM vulns WHERE id = new.vuln_id), 0) FROM monitored_products WHERE product_id = new.product_id AND is_monitored = 1 ON CONFLICT DO NOTHING;
  INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT m.org_id, new.vuln_id, coalesce((SELECT updated_at FROM vulns WHERE id = new.vuln_id), 0) FROM monitored_vendors m WHERE m.vendor_id = new.vendor_id
    AND NOT EXISTS (SELECT 1 FROM monitored_products x WHERE x.org_id = m.org_id AND x.product_id = new.product_id AND x.is_monitored = 0) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
DROP TRIGGER org_vulns_package_link;
--> statement-breakpoint
CREATE TRIGGER org_vulns_package_link AFTER INSERT ON vuln_packages BEGIN
  INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT org_id, new.vuln_id, coalesce((SELECT updated_at FROM vulns WHERE id = new.vuln_id), 0) FROM monitored_packages WHERE package_id = new.package_id ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
DROP TRIGGER org_vulns_vuln;
--> statement-breakpoint
CREATE TRIGGER org_vulns_vuln AFTER INSERT ON monitored_vulns BEGIN
  INSERT INTO org_vulns(org_id, vuln_id, touched) VALUES (new.org_id, new.vuln_id, coalesce((SELECT updated_at FROM vulns WHERE id = new.vuln_id), 0)) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
DROP TRIGGER org_vulns_package;
--> statement-breakpoint
CREATE TRIGGER org_vulns_package AFTER INSERT ON monitored_packages BEGIN
  INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT new.org_id, vuln_id, coalesce((SELECT updated_at FROM vulns WHERE id = vuln_id), 0) FROM vuln_packages WHERE package_id = new.package_id ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
DROP TRIGGER org_vulns_vendor;
--> statement-breakpoint
CREATE TRIGGER org_vulns_vendor AFTER INSERT ON monitored_vendors BEGIN
  INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT new.org_id, l.vuln_id, coalesce((SELECT updated_at FROM vulns WHERE id = l.vuln_id), 0) FROM vuln_products l WHERE l.vendor_id = new.vendor_id
    AND NOT EXISTS (SELECT 1 FROM monitored_products x WHERE x.org_id = new.org_id AND x.product_id = l.product_id AND x.is_monitored = 0) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
DROP TRIGGER org_vulns_product;
--> statement-breakpoint
CREATE TRIGGER org_vulns_product AFTER INSERT ON monitored_products BEGIN
  INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT new.org_id, l.vuln_id, coalesce((SELECT updated_at FROM vulns WHERE id = l.vuln_id), 0) FROM vuln_products l WHERE l.product_id = new.product_id
    AND EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = new.org_id AND w.vuln_id = l.vuln_id) ON CONFLICT DO NOTHING;
  DELETE FROM org_vulns WHERE org_id = new.org_id AND vuln_id IN (SELECT vuln_id FROM vuln_products WHERE product_id = new.product_id)
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = new.org_id AND w.vuln_id = org_vulns.vuln_id);
END;
--> statement-breakpoint
DROP TRIGGER org_vulns_product_set;
--> statement-breakpoint
CREATE TRIGGER org_vulns_product_set AFTER UPDATE ON monitored_products BEGIN
  INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT new.org_id, l.vuln_id, coalesce((SELECT updated_at FROM vulns WHERE id = l.vuln_id), 0) FROM vuln_products l WHERE l.product_id = new.product_id
    AND EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = new.org_id AND w.vuln_id = l.vuln_id) ON CONFLICT DO NOTHING;
  DELETE FROM org_vulns WHERE org_id = new.org_id AND vuln_id IN (SELECT vuln_id FROM vuln_products WHERE product_id = new.product_id)
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = new.org_id AND w.vuln_id = org_vulns.vuln_id);
END;
--> statement-breakpoint
DROP TRIGGER org_vulns_no_product;
--> statement-breakpoint
CREATE TRIGGER org_vulns_no_product AFTER DELETE ON monitored_products BEGIN
  INSERT INTO org_vulns(org_id, vuln_id, touched) SELECT old.org_id, l.vuln_id, coalesce((SELECT updated_at FROM vulns WHERE id = l.vuln_id), 0) FROM vuln_products l WHERE l.product_id = old.product_id
    AND EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = old.org_id AND w.vuln_id = l.vuln_id) ON CONFLICT DO NOTHING;
  DELETE FROM org_vulns WHERE org_id = old.org_id AND vuln_id IN (SELECT vuln_id FROM vuln_products WHERE product_id = old.product_id)
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = old.org_id AND w.vuln_id = org_vulns.vuln_id);
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_vuln_touched AFTER UPDATE OF updated_at ON vulns WHEN new.updated_at <> old.updated_at BEGIN
  UPDATE org_vulns SET touched = new.updated_at WHERE vuln_id = new.id;
END;
