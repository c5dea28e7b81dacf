import * as z from 'zod'
import type { Db } from '../../db/open'
import type { Env } from '../../env'
import { unauthenticated } from '../../http/errors'
import type { Client } from '../../http/route'
import { challengeGone, maxTries, removeChallenge, tryChallenge } from '../challenges'
import { takeRecoveryCode } from './recovery'
import { openSession } from '../sessions'
import { beginTry, factorKeys, forget, removeWaits, giveBack, throttled, throttleKeys } from '../throttle'
import { takeCode } from './totp'

export const MfaData = z.object({ org_id: z.int() })

const wrongCode = () => unauthenticated('Wrong 2FA code', 'wrong_code')

type Given = { eph_token: string; method: 'totp' | 'recovery'; code: string; client: Client }

/** Five tries a sign-in, and growing waits over many of them. */
export async function finishSignIn(env: Env, db: Db, { eph_token, method, code, client }: Given, now: Date) {
  const owed = await tryChallenge(db, 'mfa', eph_token, now)
  if (!owed?.user_id) throw challengeGone()
  const { user_id } = owed
  const account = `${user_id}`
  const attempt = await beginTry(db, factorKeys(account, client), now, { user_id, ip: client.ip })
  // A recovery code cannot be guessed: it lets its owner in whatever others have tried.
  const mayPass = !attempt.isAccountBlocked || attempt.isKnownPlace || method === 'recovery'
  if (attempt.isStopped || !mayPass) throw throttled(attempt)

  const isRight = await (method === 'totp'
    ? takeCode(env, db, { user_id, code }, now)
    : takeRecoveryCode(db, { user_id, code }, now))
  if (!isRight) {
    if (owed.tries >= maxTries) await removeChallenge(db, owed.id).run()
    throw wrongCode()
  }
  const besides = [
    removeChallenge(db, owed.id),
    giveBack(db, attempt, now),
    ...(await removeWaits(db, user_id)),
    forget(db, [throttleKeys.pair(account, client)]),
  ]
  const { org_id } = MfaData.parse(JSON.parse(owed.data))
  return openSession(env, db, { user_id, org_id, client, by: 'code', besides }, now)
}
