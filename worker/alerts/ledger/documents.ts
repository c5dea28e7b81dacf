import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Reason } from '../../domain/alerts/alert-judge'
import type { RouteName } from '../../domain/alerts/alert-rules'
import { isForgottenUnsent } from '../../mail/forget'
import { utcMinute } from '../../domain/alerts/alert-times'
import { labelRoute } from '../channels/words'

/** First document of an inventory, in `alerts.saw`: the vulnerabilities that it brought, and the numbers of its messages. */
export type DocumentNews = { name: string; vulns: number[]; mails: number[]; chats: number[] }

/** Its messages as rows of `channel` and `status`, which is `left` where the person had left before it; the alert is `a`. */
export const selectMessages = (a: SQL) => sql`
  SELECT 'email' AS channel, iif(${isForgottenUnsent}, 'left', m.status) AS status FROM mails m WHERE m.id IN (SELECT value FROM json_each(${a}.saw, '$.mails'))
  UNION ALL SELECT s.channel, s.status FROM summaries s WHERE s.id IN (SELECT value FROM json_each(${a}.saw, '$.chats'))`

/** Of all its messages; rows of sent ones are removed after some time. */
export const documentStatus = (a: SQL) => sql<
  'failed' | 'pending' | 'sent' | 'suppressed'
>`(SELECT CASE WHEN max(status = 'dead') THEN 'failed' WHEN max(status NOT IN ('sent', 'left')) THEN 'pending'
  WHEN min(status = 'left') THEN 'suppressed' ELSE 'sent' END FROM (${selectMessages(a)}))`

/** In a few words, as the list of what it brought may be long; with the rows of its messages that are still here. */
export const documentFacts = (a: SQL) => sql<
  string | null
>`iif(${a}.suppressed = 'summarized', json_object('name', ${a}.saw ->> 'name',
  'count', json_array_length(${a}.saw, '$.vulns'), 'messages', json_array_length(${a}.saw, '$.mails') + json_array_length(${a}.saw, '$.chats'),
  'by', json((SELECT json_group_array(json_array(channel, status)) FROM (${selectMessages(a)})))), NULL)`

type Facts = { name: string; count: number; messages: number; by: [RouteName, keyof typeof outcomes][] }

const outcomes = { pending: 'waiting', sending: 'waiting', sent: 'sent', dead: 'given up', left: 'not sent' }

export function describeDocument(facts: string) {
  const { name, count, messages, by } = JSON.parse(facts) as Facts
  const brought = `${count.toLocaleString('en')} ${count === 1 ? 'vulnerability' : 'vulnerabilities'}`
  const told = `told together in ${messages} ${messages === 1 ? 'message' : 'messages'}`
  const each = new Set(by.map(([channel, status]) => `${labelRoute(channel)} ${outcomes[status]}`))
  return `${brought} that the first document of ${name} brought, ${told}${each.size ? `: ${[...each].join(', ')}` : ''}`
}

/** Summaries of first documents that told of a vulnerability. */
export async function findDocumentsWith(db: Db, org_id: number, vuln_id: number): Promise<Reason[]> {
  const found = await db.all<{ name: string; created_at: string; status: string }>(sql`
    SELECT a.saw ->> 'name' AS name, a.created_at, ${documentStatus(sql`a`)} AS status FROM alerts a WHERE a.org_id = ${org_id}
      AND a.suppressed = 'summarized' AND EXISTS (SELECT 1 FROM json_each(a.saw, '$.vulns') WHERE value = ${vuln_id}) LIMIT 5`)
  return found.map(({ name, created_at, status }) => ({
    is_ok: status !== 'failed',
    text: `It stood in the summary of the first document of ${name}, ${utcMinute(created_at)}: ${status === 'suppressed' ? 'those whom it was for have left' : status}`,
  }))
}
