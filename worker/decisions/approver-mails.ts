import { getActorName } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { findAdmins } from '../mail/find-admins'
import { notice } from '../mail/notice'
import { queueWithin } from '../mail/within'

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
