type Insert = (sql: string, ...values: unknown[]) => void
type Owner = { org_id: number; name: string; at: string }

/** One that runs, with something in each of its tables; and removed rows: another one, and a list of monitored items. */
export function ownInventories(insert: Insert, { org_id, name, at }: Owner) {
  insert(
    "INSERT INTO inventories(org_id, id, name, format, subject, components_count, unmatched_count, created_at, updated_at, revision, changes) VALUES (?1, 1, ?2, 'CycloneDX 1.6 JSON', ?2, 1, 0, ?3, ?3, 1, 1)",
    org_id,
    name,
    at,
  )
  const removed_inventory_id = 2
  insert(
    "INSERT INTO inventories(org_id, id, name, format, components_count, unmatched_count, created_at, updated_at, revision, changes, removed_at) VALUES (?1, ?4, ?2 || ' before', 'CycloneDX 1.6 JSON', 0, 0, ?3, ?3, 1, 1, '2099-01-01T00:00:00Z')",
    org_id,
    name,
    at,
    removed_inventory_id,
  )
  const removed_key = crypto.randomUUID()
  insert(
    "INSERT INTO removed_lists VALUES (?1, ?2, 0, '2099-01-01T00:00:00Z', NULL, 1, json_array(json_array('vendor', ?3, '', '', 'yes')))",
    org_id,
    removed_key,
    name,
  )
  insert(
    "INSERT INTO inventory_components VALUES (?1, 1, 1, ?2, ?2, '1', 'pkg:npm/widget@1', NULL, 'required', NULL, '[]', 1, 1, 0)",
    org_id,
    name,
  )
  insert("INSERT INTO inventory_matches VALUES ('package', 'npm', 'widget', ?1, 1, 1)", org_id)
  insert(
    "INSERT INTO inventory_findings VALUES (?1, 1, 1, 1, 'affected', 'confirmed', 'osv', ?2, '2', NULL, 0, ?3)",
    org_id,
    name,
    at,
  )
  insert('INSERT INTO inventory_vulns VALUES (1, ?1, 1, 0, 3, 0)', org_id)
  insert(
    `INSERT INTO decisions(org_id, scope, inventory_id, vuln_id, component_id, author, verdict, note, fix, owner, decided_at)
     VALUES (?1, 'component', 1, 1, 1, '', 'affected', ?2, '2', ?2, ?3), (?1, 'component', 1, 1, 1, 'Supplier', 'fixed', ?2, NULL, NULL, ?3)`,
    org_id,
    name,
    at,
  )
  insert('INSERT INTO inventory_due VALUES (?1, 1, 1, 1, 0), (?1, -1, 1, 0, 0)', org_id)
  insert("INSERT INTO inventory_lists VALUES (?1, 1, 'findings', '0:', 1, json_array(?2))", org_id, name)
  // Of what was removed, as the clock looks through what runs.
  insert('INSERT INTO own_products VALUES (?1, ?3, ?2)', org_id, name, removed_inventory_id)
  insert(
    'INSERT INTO cra_clocks(org_id, vuln_id, started_at, aware_at, is_fix_stated) VALUES (?1, 1, ?2, ?2, 0)',
    org_id,
    at,
  )
  insert("INSERT INTO cra_dues VALUES ('2099-01-01T00:00:00Z', ?1, 1)", org_id)
  insert("INSERT INTO cra_reports VALUES (?1, 1, 'early_warning', ?3, ?3, NULL, ?2)", org_id, name, at)
  insert("INSERT INTO support_told VALUES (?1, 'canary', '1', '2026-01-01', 0, ?2)", org_id, at)
  insert("INSERT INTO inventory_days VALUES (?1, 1, '2026-01-01', 1, 0, 0, 0, 0, 0, 0, 0, 0)", org_id)
  return { removed_inventory_id, removed_key }
}

/** Its routes, and messages on their way. */
export function ownRoutes(insert: Insert, { org_id, name, at }: Owner) {
  insert(
    "INSERT INTO alert_channels(org_id, channel, hints, last_error) VALUES (?1, 'webhook', json_object('url', ?2), ?2)",
    org_id,
    name,
  )
  insert(
    `INSERT INTO alert_channels(org_id, channel, addresses, rota) SELECT ?1, 'email-2', json_array(?2), json_object('zone', 'UTC', 'starts_on', '2026-01-01',
     'hour', 8, 'people', json_array(user_id), 'swaps', json_array()) FROM members WHERE org_id = ?1 LIMIT 1`,
    org_id,
    `${name}@example.org`,
  )
  insert("INSERT INTO incidents VALUES (?1, 'pagerduty', 1, 1, 1)", org_id)
  insert("INSERT INTO alert_escalations VALUES (?1, 'webhook', 'email', 5)", org_id)
  insert(
    `INSERT INTO summaries(org_id, channel, said, status, next_attempt_at, created_at)
     VALUES (?1, 'slack', json_object('text', ?2), 'sent', ?3, ?3)`,
    org_id,
    name,
    at,
  )
  insert(
    `INSERT INTO mails(org_id, "to", kind, subject, html, text, status, next_attempt_at, created_at)
     VALUES (?1, ?2 || '@example.org', 'alert', ?2, '', '', 'sent', ?3, ?3)`,
    org_id,
    name,
    at,
  )
}
