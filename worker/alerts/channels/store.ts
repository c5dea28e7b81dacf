import { z } from 'zod'
import type { Db } from '../../db/open'
import type { ChannelName } from '../../domain/alert-rules'

const Hints = z.record(z.string(), z.string())

export type StoredChannel = {
  channel: ChannelName
  secrets: string
  hints: string
  on_new: number
  on_update: number
  on_exploitable: number
  on_kev: number
  on_fix: number
  on_score: number
  score_value: number
  on_cvss: number
  cvss_value: number
  on_cvss3: number
  cvss3_value: number
  min_score: number | null
  groups: string
  verdicts: string
  daily_max: number
  last_success_at: string | null
  failing_since: string | null
  last_error: string | null
  disabled_at: string | null
}

export async function findChannels(db: Db, org_id: number) {
  const { results } = await db.$client
    .prepare('SELECT * FROM alert_channels WHERE org_id = ?1')
    .bind(org_id)
    .all<StoredChannel>()
  return new Map(results.map((row) => [row.channel, row]))
}

export const readHints = (row: Pick<StoredChannel, 'hints'> | undefined) => Hints.parse(JSON.parse(row?.hints ?? '{}'))

type Row = Record<string, string | number | null>

/** Writes only the named columns, so that two people who save different things at once both keep theirs. */
export function writeColumns(db: Db, table: 'alert_settings' | 'alert_channels', key: Row, change: Row) {
  const row = { ...key, ...change }
  const names = Object.keys(row)
  return db.$client
    .prepare(
      `INSERT INTO ${table}(${names.join(', ')}) VALUES (${names.map((_, at) => `?${at + 1}`).join(', ')})
       ON CONFLICT DO UPDATE SET ${Object.keys(change)
         .map((name) => `${name} = excluded.${name}`)
         .join(', ')}`,
    )
    .bind(...Object.values(row))
}
