-- What waited for a step in a list of its own; nobody reads that table any more.
INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id)
SELECT org_id, CASE kind WHEN 'product' THEN -1 ELSE -2 END, item_id, 0 FROM watch_due WHERE TRUE ON CONFLICT DO NOTHING;
