import { and, countDistinct, eq, notInArray, notLike } from 'drizzle-orm'
import { beside } from '../../db/beside'
import { bulk, readBulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { Failure } from '../../http/errors'
import { decisions } from '../../schema/decisions'
import { maxListed } from '../contract'
import type { VexAnswer } from '../proposal-contract'
import { findDistribution } from '../../domain/names/distribution'
import type { Purl } from '../../domain/names/purl'
import { requireInventory } from '../inventory'
import { readSentDocument } from '../read/read-text'
import { namesQuery } from '../../exposure/require-revision'
import { findTargets, type MatchTarget } from '../../exposure/targets'
import { hubPrefix } from '../finding-contract'
import { asWritten, maxNote, type VexProposal } from './proposal'
import { readVex } from './read-vex'

/** Suppliers of one inventory. */
const maxAuthors = 20

type Sent = { name: string; file: ReadableStream<Uint8Array> | null; now: Date }

export async function proposeVex(db: Db, org_id: number, { name, file, now }: Sent): Promise<VexAnswer> {
  const { id } = await requireInventory(db, org_id, name)
  const read = await readSentDocument(file, readVex)
  const here = { org_id, inventory_id: id, author: read.author }
  const [, [components, vulns]] = await beside(
    requireRoom(db, here),
    Promise.all([findComponents(db, org_id, id), findVulns(db, org_id, read.proposals)]),
  )
  const { rows, unmatched } = matchProposals(read.proposals, components, vulns)
  await db.$client.batch(replaceProposals(db, here, rows, now))
  return {
    author: read.author,
    statements: read.proposals.length,
    proposals: rows.length,
    unmatched: { count: unmatched.length, first: unmatched.slice(0, maxListed) },
  }
}

type Here = { org_id: number; inventory_id: number; author: string }

const parts = ['verdict', 'justification', 'note'] as const
const isSame = parts.map((part) => `excluded.${part} IS decisions.${part}`).join(' AND ')

const ends = ['ended_at', 'ended_by', 'ended_user_id']

/** A proposal that was laid aside stays so while the supplier says the same. */
const replaceProposals = (db: Db, { org_id, inventory_id, author }: Here, rows: ProposalRow[], now: Date) => [
  statement(db, db.update(decisions).set({ decided_at: '' }).where(isProposal({ org_id, inventory_id, author }))),
  ...bulk(
    db,
    `INSERT INTO decisions(scope, org_id, inventory_id, author, decided_at, vuln_id, component_id, ${parts.join(', ')})
     SELECT 'component', ?2, ?3, ?4, ?5, j.value->>0, c.id, j.value->>2, j.value->>3, j.value->>4 FROM jsonb_each(?1) j
     CROSS JOIN inventory_components c ON c.org_id = ?2 AND c.inventory_id = ?3 AND c.id = j.value->>1 WHERE TRUE
     ON CONFLICT DO UPDATE SET decided_at = excluded.decided_at, ${parts.map((part) => `${part} = excluded.${part}`).join(', ')},
       ${ends.map((end) => `${end} = CASE WHEN ${isSame} THEN ${end} END`).join(', ')}`,
    rows,
    org_id,
    inventory_id,
    author,
    stamp(now),
  ),
  statement(
    db,
    db.delete(decisions).where(and(isProposal({ org_id, inventory_id, author }), eq(decisions.decided_at, ''))),
  ),
]

const isProposal = ({ org_id, inventory_id, author }: Here) =>
  and(isHere({ org_id, inventory_id }), eq(decisions.author, author))

const isHere = ({ org_id, inventory_id }: Omit<Here, 'author'>) =>
  and(eq(decisions.org_id, org_id), eq(decisions.inventory_id, inventory_id))

async function requireRoom(db: Db, { author, ...place }: Here) {
  const row = await db
    .select({ count: countDistinct(decisions.author) })
    .from(decisions)
    .where(and(isHere(place), notInArray(decisions.author, ['', author]), notLike(decisions.author, `${hubPrefix}%`)))
    .get()
  if ((row?.count ?? 0) >= maxAuthors)
    throw new Failure(409, 'quota_exceeded', `An inventory has proposals of ${maxAuthors} suppliers at most`)
}

type Meant = { component_id: number; purl: Purl | null }

/** Components by what a document may call them: with their version, and without for what it says of all versions. */
async function findComponents(db: Db, org_id: number, id: number) {
  const components = await namesQuery(db, { org_id, inventory_id: id })
  const named = components.flatMap(({ id: component_id, ...component }) =>
    findTargets(component).flatMap((target) =>
      [target.version, null].map((version) => ({ key: targetName(target, version), component_id, purl: target.purl })),
    ),
  )
  return Map.groupBy(named, ({ key }) => key)
}

const targetName = ({ kind, first, name }: MatchTarget, version: string | null) =>
  JSON.stringify([kind, first, name, version])

const findByName = (product: string, components: Map<string, Meant[]>) =>
  [
    ...findTargets({ version: null, purl: product, cpe: null }),
    ...findTargets({ version: null, purl: null, cpe: product }),
  ].flatMap((target) =>
    (components.get(targetName(target, target.version)) ?? []).flatMap(({ component_id, purl }) =>
      isOtherBuild(purl, target.purl) ? [] : [component_id],
    ),
  )

/** Whether they are built for two releases, or distributions; one of which nothing is known may be meant. 12.5 is a 12. */
function isOtherBuild(own: Purl | null, named: Purl | null) {
  const [built, meant] = [own && findDistribution(own), named && findDistribution(named)]
  if (!built || !meant) return false
  const isWithin = (inner: string, outer: string) => `${inner}.`.startsWith(`${outer}.`)
  const isOneRelease = isWithin(built.version, meant.version) || isWithin(meant.version, built.version)
  return built.id !== meant.id || !isOneRelease
}

async function findVulns(db: Db, org_id: number, proposals: VexProposal[]) {
  const names = [...new Set(proposals.flatMap(({ vulns }) => vulns.map(asWritten)))]
  const found = await readBulk<{ name: string; id: number }>(
    db,
    `SELECT j.value AS name, v.id FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.cveid = j.value AND (v.org_id IS NULL OR v.org_id = ?2)
         UNION ALL SELECT j.value, v.id FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.id = substr(j.value, 4) AND j.value GLOB 'PH-[1-9]*'
           AND (v.org_id IS NULL OR v.org_id = ?2)
         UNION ALL SELECT j.value, v.id FROM jsonb_each(?1) j CROSS JOIN vuln_aliases a ON a.alias = j.value
           CROSS JOIN vulns v ON v.id = a.vuln_id AND (v.org_id IS NULL OR v.org_id = ?2)`,
    names,
    org_id,
  )
  const byName = Map.groupBy(found, ({ name }) => name)
  return new Map([...byName].map(([name, all]) => [name, [...new Set(all.map(({ id }) => id))]]))
}

type ProposalRow = [
  vuln_id: number,
  component_id: number,
  status: string,
  justification: string | null,
  note: string | null,
]
/** A statement about all versions of a package meets each that is here. */
const maxRows = 50_000

function matchProposals(proposals: VexProposal[], components: Map<string, Meant[]>, vulns: Map<string, number[]>) {
  const rows = new Map<string, ProposalRow>()
  const unmatched: { vuln: string; product: string }[] = []
  for (const { vulns: written, products, status, justification, note } of proposals) {
    const ids = written.map((one) => vulns.get(asWritten(one))).find((known) => known) ?? []
    const found = new Set(products.flatMap((product) => findByName(product, components)))
    if (!ids.length || !found.size)
      unmatched.push({ vuln: (written[0] ?? '').slice(0, 200), product: (products[0] ?? '').slice(0, 200) })
    for (const id of ids)
      for (const component of found)
        rows.set(`${id} ${component}`, [id, component, status, justification, note?.slice(0, maxNote) ?? null])
    if (rows.size > maxRows)
      throw new Failure(409, 'quota_exceeded', `It speaks of more than ${maxRows.toLocaleString('en')} findings here`)
  }
  return { rows: [...rows.values()], unmatched }
}
