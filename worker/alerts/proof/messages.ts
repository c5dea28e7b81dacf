import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { literal } from '../../db/values'
import { documentStatus, selectMessages } from '../ledger/documents'
import { MessageCounts, type DayProof } from './contract'

type Day = { org_id: number | undefined; start: string; end: string }

/** Messages that were taken of the alerts of a day. */
export const countMessages = (db: Db, { org_id, start, end }: Day) =>
  db.all<{ org_id: number; channel: string; count: number }>(sql`
    SELECT a.org_id, d.channel, count(*) AS count FROM ${org_id === undefined ? sql`orgs o CROSS JOIN alerts a ON a.org_id = o.id` : sql`alerts a`}
    CROSS JOIN deliveries d ON d.alert_id = a.id AND d.status = 'sent'
    WHERE ${org_id === undefined ? sql`1` : sql`a.org_id = ${org_id}`} AND a.created_at >= ${start} AND a.created_at < ${end}
    GROUP BY a.org_id, d.channel ORDER BY d.channel`)

type Told = {
  org_id: number
  vuln_id: number
  change: number
  outcome: 'delivered' | 'suppressed' | 'failed' | 'waiting' | 'lost'
  /** JSON of how many were sent, by channel. */
  messages: string
}

/** First documents of inventories that were told on a day. One of whose messages nothing stands is lost. */
export const findDocumentsTold = (db: Db, { org_id, start, end }: Day) =>
  db.all<Told>(sql`
    SELECT a.org_id, a.vuln_id, a.change_seq AS change, (SELECT json_group_object(channel, sent) FROM (
        SELECT channel, sum(status = 'sent') AS sent FROM (${selectMessages(sql`a`)}) GROUP BY channel HAVING sent > 0)) AS messages,
      iif(json_array_length(a.saw, '$.mails') + json_array_length(a.saw, '$.chats') > (SELECT count(*) FROM (${selectMessages(sql`a`)})), 'lost',
        CASE ${documentStatus(sql`a`)} WHEN 'failed' THEN 'failed' WHEN 'pending' THEN 'waiting' WHEN 'suppressed' THEN 'suppressed' ELSE 'delivered' END) AS outcome
    FROM orgs o CROSS JOIN alerts a ON a.org_id = o.id AND a.created_at >= ${start} AND a.created_at < ${end} AND a.suppressed = 'summarized'
    WHERE ${org_id === undefined ? sql`1` : sql`o.id = ${literal(org_id)}`}`)

/** One for each document, whatever it brought. */
export function addDocument(proof: DayProof, { vuln_id, change, outcome, messages }: Told) {
  proof.matched++
  proof.documents++
  proof[outcome]++
  if (outcome === 'lost') proof.differences.push({ vuln_id, change, problem: 'lost', channels: [] })
  for (const [channel, sent] of Object.entries(MessageCounts.parse(JSON.parse(messages))))
    proof.messages[channel] = (proof.messages[channel] ?? 0) + sent
}
