import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { readyAuditBy, type By } from '../auth/audited-by'
import { findRows } from './find-findings'
import { requireInventory, type InventoryHead } from './inventory'
import { hubPrefix } from './finding-contract'

type Dismissing = {
  findings: { vuln_id: number; component_id: number }[]
  author: string
  dismissed: boolean
}

export async function setDismissed(db: Db, name: string, { findings, author, dismissed }: Dismissing, by: By) {
  const { org_id, user_id } = by.actor
  const [head, write] = await Promise.all([requireInventory(db, org_id, name), readyAuditBy(db, by)])
  const { id } = head
  const kept = dismissed && author.startsWith(hubPrefix) ? await keepHubProposals(db, head, { findings, author }) : []
  const answers = await write(
    [
      ...kept,
      ...bulk(
        db,
        `UPDATE decisions SET ended_at = ?5, ended_by = iif(?5 IS NULL, NULL, 'hand'), ended_user_id = ?6
       WHERE (vuln_id, org_id, scope, inventory_id, component_id, author) IN (
           SELECT value->>0, ?2, 'component', ?3, value->>1, ?4 FROM jsonb_each(?1))
         AND (ended_at IS NULL) <> (?5 IS NULL)`,
        findings.map(({ vuln_id, component_id }) => [vuln_id, component_id]),
        org_id,
        id,
        author,
        dismissed ? stamp(by.now) : null,
        dismissed ? user_id : null,
      ),
    ],
    { action: 'inventory.dismiss', target: name, detail: { author, dismissed, findings: findings.length } },
  )
  return answers.slice(kept.length).reduce((sum, { meta }) => sum + meta.changes, 0)
}

/** Only what was laid aside of a hub is stored, with what it said. */
async function keepHubProposals(
  db: Db,
  head: InventoryHead,
  { findings, author }: Pick<Dismissing, 'findings' | 'author'>,
) {
  const rows = await findRows(
    db,
    head,
    findings.map(({ vuln_id, component_id }) => [vuln_id, component_id]),
  )
  return bulk(
    db,
    `INSERT INTO decisions(scope, org_id, inventory_id, author, decided_at, vuln_id, component_id, verdict, justification, note)
     SELECT 'component', ?2, ?3, ?4, value->>0, value->>1, value->>2, value->>3, value->>4, value->>5 FROM jsonb_each(?1) WHERE TRUE
     ON CONFLICT DO UPDATE SET decided_at = excluded.decided_at, verdict = excluded.verdict, justification = excluded.justification,
       note = excluded.note, ended_at = iif(verdict IS excluded.verdict AND justification IS excluded.justification AND note IS excluded.note, ended_at, NULL)`,
    rows.flatMap(({ vuln_id, component_id, proposals }) =>
      proposals
        .filter((one) => one.author === author)
        .map(({ decided_at, status, justification, note }) => [
          decided_at,
          vuln_id,
          component_id,
          status,
          justification,
          note,
        ]),
    ),
    head.org_id,
    head.id,
    author,
  )
}
