import { sql } from 'drizzle-orm'
import { changeRouteRow } from '../alerts/channels/manage'
import { updateSettings } from '../alerts/settings/settings'
import { bulk } from '../db/bulk'
import { isAborted, refuseBeyond } from '../db/guard'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { setDuePolicy } from '../decisions/due-policy'
import { setDecisionSettings } from '../decisions/requests'
import { exploitKind, threatKind } from '../exploits/kinds'
import { createMetadata } from '../exploits/save'
import { Failure } from '../http/errors'
import { maxComments, maxOrgComments, tooManyComments } from '../triage/comments'
import { createSavedView, findViews } from '../views/queries'
import { notKnown, takeAll, takeEach, findReferences } from './take-each'
import type { Importing, LeftOut, Numbered, TakenCounts } from './take-each'
import { findRuleNames, readRules, readSettingsRecord } from './read-settings'
import type { TransferRecord } from './records'

const findNamed = ({ db, by }: Importing, records: { record: { vulnerability: string } }[]) =>
  findReferences(
    db,
    by.actor.org_id,
    records.map(({ record }) => record.vulnerability),
  )

/** Nobody here wrote them: the text names who did. */
export async function takeComments({ db, by }: Importing, records: Numbered<'comment'>[]): Promise<TakenCounts> {
  const { org_id } = by.actor
  const ids = await findNamed({ db, by }, records)
  const left: LeftOut[] = []
  const rows: (string | number)[][] = []
  for (const { line, record } of records) {
    const { vulnerability, author, body } = record
    const id = ids.get(vulnerability)
    if (id === undefined) left.push({ line, name: vulnerability, reason: notKnown })
    else {
      const at = stamp(new Date(record.created_at))
      const told = author === null ? body : `Imported, by ${author}:\n${body}`
      rows.push([id, told, at < stamp(by.now) ? at : stamp(by.now), body])
    }
  }
  const known = records.filter(({ record }) => ids.has(record.vulnerability))
  const outcome = await takeAll(
    known,
    ({ vulnerability }) => vulnerability,
    async () => {
      const json = JSON.stringify([...new Set(ids.values())])
      const count = sql`SELECT count(*) AS n FROM comments WHERE org_id = ${org_id}`
      const onEach = sql`SELECT coalesce(max(n), 0) FROM (${count} AND vuln_id IN (SELECT value FROM json_each(${json})) GROUP BY vuln_id)`
      const answers = await db.$client
        .batch([
          ...bulk(
            db,
            `INSERT INTO comments(org_id, vuln_id, body, created_at)
             SELECT ?2, j.value->>0, j.value->>1, j.value->>2 FROM jsonb_each(?1) j
             WHERE NOT EXISTS (SELECT 1 FROM comments c WHERE c.org_id = ?2 AND c.vuln_id = j.value->>0
               AND c.created_at = j.value->>2 AND c.body IN (j.value->>1, j.value->>3)) ORDER BY j.key RETURNING id AS made`,
            rows,
            org_id,
          ),
          statement(db, refuseBeyond(onEach, maxComments)),
          statement(db, refuseBeyond(count, maxOrgComments)),
        ])
        .catch((error: unknown) => {
          throw isAborted(error, 'quota') ? tooManyComments() : error
        })
      const added = answers.flatMap(({ results }) => results as object[]).filter((row) => 'made' in row).length
      return { added, already: known.length - added, left: [] }
    },
  )
  return { ...outcome, left: [...left, ...outcome.left] }
}

export const takeExploits = ({ db, by }: Importing, records: Numbered<'exploit'>[]) =>
  takeMetadata({ db, by }, records, (id, form) =>
    createMetadata({ db, ...by }, exploitKind, id, { ...form, scope: 'private' }),
  )
export const takeThreats = ({ db, by }: Importing, records: Numbered<'threat'>[]) =>
  takeMetadata({ db, by }, records, (id, form) =>
    createMetadata({ db, ...by }, threatKind, id, { ...form, scope: 'private' }),
  )

type Metadata = 'exploit' | 'threat'
type Save<Kind extends Metadata> = (id: number, form: TransferRecord<Kind>) => Promise<unknown>

async function takeMetadata<Kind extends Metadata>({ db, by }: Importing, records: Numbered<Kind>[], save: Save<Kind>) {
  const ids = await findNamed({ db, by }, records)
  return takeEach(
    records,
    ({ link }) => link,
    async (record) => {
      const id = ids.get(record.vulnerability)
      if (id === undefined) throw new Failure(404, 'not_found', notKnown)
      try {
        await save(id, record)
      } catch (error) {
        if (error instanceof Failure && error.code === 'exists') return 'already'
        throw error
      }
      return 'added'
    },
  )
}

/** They become views of the importer. */
export async function takeViews({ db, by }: Importing, records: Numbered<'view'>[]) {
  const { org_id, user_id } = by.actor
  const known = new Map(
    (await findViews(db, by.actor)).flatMap(({ name, query, is_own }) => (is_own ? [[name, query]] : [])),
  )
  return takeEach(
    records,
    ({ name }) => name,
    async (view) => {
      if (known.get(view.name) === view.query) return 'already'
      if (hasNumbers(view.query))
        throw new Failure(400, 'invalid', 'It names something by the number of one installation: save it anew')
      await createSavedView(db, { org_id, user_id }, view, by.now)
      return 'added'
    },
  )
}

/** Of the list's address: numbers of vulnerabilities, vendors, products and packages mean others here. */
function hasNumbers(query: string) {
  const params = new URLSearchParams(query)
  return (
    ['id', 'vendor', 'product', 'package'].some((param) => params.has(param)) ||
    [...params.values()].some((text) => /\bph-\d|\b(?:id|ph|(?:vendor|product|package)_id)\s*[:=]/i.test(text))
  )
}

/** They replace those here; a rule that names what is not here would tell of more than it should. */
export async function takeRules({ db, by }: Importing, records: Numbered<'rules'>[]) {
  const names = await findRuleNames(db, by.actor.org_id)
  const before = new Map((await readRules(db, by.actor.org_id)).map((rules) => [rules.channel, rules]))
  const find = (known: Map<number, string>, what: string, wanted: string[]) =>
    wanted.map((name) => {
      const [id] = [...known].find(([, knownName]) => knownName === name) ?? []
      if (id === undefined) throw new Failure(404, 'not_found', `There is no ${what} ${name} here`)
      return id
    })
  return takeEach(
    records,
    ({ channel }) => channel,
    async (record) => {
      if (isSame({ kind: 'rules', ...record }, before.get(record.channel))) return 'already'
      const { channel, inventories, views, ...change } = record
      const named = {
        inventories: find(names.inventories, 'inventory', inventories),
        views: find(names.views, 'shared view', views),
      }
      await changeRouteRow(db, channel, { ...change, ...named }, by)
      return 'added'
    },
  )
}

export const takeSettings = ({ db, by }: Importing, records: Numbered<'settings'>[]) =>
  takeEach(
    records,
    () => 'settings',
    async (record) => {
      if (isSame({ kind: 'settings', ...record }, await readSettingsRecord(db, by.actor.org_id))) return 'already'
      await updateSettings(db, record.reports, by)
      await setDuePolicy(db, record.due, by)
      await setDecisionSettings(db, record, by)
      return 'added'
    },
  )

const inOrder = (_key: string, value: unknown) =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value
const isSame = (one: unknown, other: unknown) => JSON.stringify(one, inOrder) === JSON.stringify(other, inOrder)
