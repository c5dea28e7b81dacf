import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { Env } from '../env'
import { statement } from '../db/statement'
import { toDay } from '../db/time'
import { notice } from '../mail/notice'
import { queueMail } from '../mail/outbox'
import { serviceDays } from '../schema/jobs'

/** Objectives late at the last look, and those that the operator was told of. */
export type AlarmState = { late: string[]; told: string[] }

type Look = { before: AlarmState; late: string[] }

/** Mails the operator once of what is late at two looks, and once when nothing is late any more. */
export async function raiseAlarm(env: Env, db: Db, { before, late }: Look, now: Date) {
  if (!env.ALARM_EMAIL) return
  const lasting = late.filter((name) => before.late.includes(name))
  const isNew = lasting.some((name) => !before.told.includes(name))
  const isOver = before.told.length > 0 && late.length === 0
  const state: AlarmState = { late, told: lasting.length > 0 || late.length === 0 ? lasting : before.told }
  const write = db
    .update(serviceDays)
    .set({ alarm: JSON.stringify(state) })
    .where(eq(serviceDays.day, toDay(now)))
  const mail =
    isNew || isOver ? [queueMail(db, { org_id: null, ...(await alarmNotice(env, isOver ? [] : lasting)) }, now)] : []
  await db.$client.batch([statement(db, write), ...mail])
}

export const alarmNotice = (env: Env, late: string[]) =>
  notice({
    to: env.ALARM_EMAIL ?? '',
    kind: 'alarm',
    title: late.length
      ? `Late: ${late.slice(0, 3).join(', ')}${late.length > 3 ? ' …' : ''}`
      : 'Nothing is late any more',
    paragraphs: late.length
      ? [`Late for five minutes or longer: ${late.join(', ')}.`, 'One more mail follows when nothing is late any more.']
      : ['The late jobs have caught up.'],
    action: { label: 'Open the status', url: `${env.APP_URL}/status` },
    footer: 'You receive this because ALARM_EMAIL of this installation names your address.',
  })
