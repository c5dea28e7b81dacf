import { and, eq, sql } from 'drizzle-orm'
import { readyAuditBy, getActorName, type By } from '../auth/audited-by'
import { beside } from '../db/beside'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { Failure, forbidden, notFound } from '../http/errors'
import { findAdmins } from '../mail/find-admins'
import { notice } from '../mail/notice'
import { queueWithin } from '../mail/within'
import { users } from '../schema/auth'
import { decisions } from '../schema/decisions'
import { orgs } from '../schema/orgs'
import { requireVuln } from '../watchlist/visible'
import { sealUndo } from './undo-token'
import { decidedJson, parseBody, toChanged, writeDecisions, type DecisionBody } from './write'

export async function findDecisionSettings(db: Db, org_id: number) {
  const row = await db.select({ needs_approver: orgs.needs_approver }).from(orgs).where(eq(orgs.id, org_id)).get()
  return { needs_approver: row?.needs_approver ?? false }
}

export async function setDecisionSettings(db: Db, { needs_approver }: { needs_approver: boolean }, by: By) {
  const { org_id } = by.actor
  const [before, write] = await Promise.all([findDecisionSettings(db, org_id), readyAuditBy(db, by)])
  const change = statement(db, db.update(orgs).set({ needs_approver }).where(eq(orgs.id, org_id)))
  if (before.needs_approver !== needs_approver)
    await write([change], { action: 'settings.update', target: 'decisions', detail: { needs_approver } })
  return { needs_approver }
}

type Settling = { approved: boolean; asked_at?: string | undefined }

/** A request is approved by another manager than whoever made it; any manager refuses it. */
export async function settleRequest(db: Db, vuln_id: number, { approved: is_approved, asked_at }: Settling, by: By) {
  const { org_id, user_id } = by.actor
  const asking = db
    .select({ body: sql<string>`${sql.raw(decidedJson('decisions'))}`.as('body'), requested_by: users.username })
    .from(decisions)
    .leftJoin(users, eq(users.id, decisions.user_id))
    .where(and(eq(decisions.vuln_id, vuln_id), eq(decisions.org_id, org_id), eq(decisions.scope, 'request')))
    .get()
  const [{ cveid }, [request, write]] = await beside(
    requireVuln(db, org_id, vuln_id),
    Promise.all([asking, readyAuditBy(db, by)]),
  )
  if (!request) throw notFound('Request')
  const asked = parseBody(request.body)
  if (is_approved && asked_at !== undefined && asked_at !== asked.decided_at)
    throw new Failure(409, 'conflict', 'The request was changed since you opened it: look at it again')
  if (is_approved) requireOther(asked, by)
  const decision = { ...asked, decided_at: stamp(by.now), approved_user_id: user_id }
  const deciding = { org_id, user_id, now: by.now }
  const { last_day, note } = asked
  const answers = await write(
    [
      ...(is_approved ? writeDecisions(db, 'alerts', [{ vuln_id, decision }], deciding) : []),
      ...writeDecisions(db, 'request', [{ vuln_id, decision: null }], deciding),
    ],
    {
      action: is_approved ? 'risk.approve' : 'risk.refuse',
      target: cveid ?? `PH-${vuln_id}`,
      detail: { requested_by: request.requested_by, reason: note, last_day },
    },
  )
  return { status: 'success' as const, undo: await sealUndo(by.env, toChanged(answers).entries) }
}

function requireOther({ user_id, last_day }: DecisionBody, { actor, now }: By) {
  if (user_id === actor.user_id) throw forbidden('Another manager than whoever asked approves an accepted risk')
  if (last_day && last_day < stamp(now).slice(0, 10))
    throw new Failure(409, 'over', 'Its last day is over: ask again with a later one')
}

/** Repeated requests fill nobody's mailbox: the register lists all that waits. */
const [pause_s, mailsPerDay] = [3_600, 24]

/** For the batch that asks for approval: tells the other admins of the organization, once an hour. */
export async function approverMails(db: Db, asked: string, { env, actor, now }: By) {
  const { org_id, user_id } = actor
  const [admins, who] = await Promise.all([findAdmins(db, org_id), getActorName(db, actor)])
  const others = admins.filter((admin) => admin.user_id !== user_id)
  const mails = await Promise.all(
    others.map(({ to, org_name }) =>
      notice({
        to,
        kind: 'risk_request',
        title: `${org_name}: an accepted risk waits for approval`,
        paragraphs: [
          `${who} asks to accept the risk of ${asked}. Its alerts go on until somebody else approves.`,
          'Requests of the next hour stand in the register, without a mail of their own.',
        ],
        action: { label: 'Accepted risks', url: `${env.APP_URL}/risks` },
        footer: `This was sent to ${to} because you administer ${org_name} on Earshot.`,
      }),
    ),
  )
  return queueWithin(db, { org_id, key: `approvals of ${org_id}`, limit: mailsPerDay, pause_s }, mails, now)
}
