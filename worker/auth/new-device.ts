import { eq, sql } from 'drizzle-orm'
import { pick } from '../db/columns'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { describeDevice } from '../domain/people/device'
import type { Env } from '../env'
import { notice } from '../mail/notice'
import { queueNotice } from '../mail/within'
import { users } from '../schema/auth'

type Device = { user_agent: string; ip: string }

export async function newDeviceMails(
  env: Env,
  db: Db,
  { user_id, device }: { user_id: number; device: Device },
  now: Date,
) {
  const is_known = sql<number>`EXISTS (SELECT 1 FROM sessions WHERE user_id = ${user_id} AND user_agent = ${device.user_agent})`
  const known = await db
    .select({ ...pick(users, 'email', 'username', 'last_login'), is_known })
    .from(users)
    .where(eq(users.id, user_id))
    .get()
  if (!known || known.is_known || known.last_login === null) return []
  return queueNotice(db, user_id, await newDeviceNotice(env, { ...known, device, at: stamp(now) }), now)
}

type SignIn = { email: string; username: string; device: Device; at: string }

export const newDeviceNotice = (env: Env, { email, username, device, at }: SignIn) =>
  notice({
    to: email,
    kind: 'new_device',
    title: 'New sign-in to Earshot',
    username,
    paragraphs: [
      'This account was used to sign in on a device that it was not used on before.',
      `Time: ${at.replace('T', ' ').replace('Z', ' UTC')}`,
      `Device: ${describeDevice(device.user_agent)}`,
      `Address: ${device.ip || 'unknown'}`,
      'If that was you, there is nothing to do. If not, end the session in the settings and change your password.',
    ],
    action: { label: 'Open the settings', url: `${env.APP_URL}/settings` },
    footer: 'You receive this because it concerns the security of your account.',
  })
