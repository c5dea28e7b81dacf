import { sendOut } from '../alerts/channels/outgoing'
import type { Env } from '../env'

/** Tells a watch of the operator's that all is well; when it hears nothing, it raises the alarm. Asked once a look: the next look is the next try. */
export async function sendHeartbeat(env: Env) {
  if (!env.HEARTBEAT_URL) return
  try {
    await sendOut(env, { url: env.HEARTBEAT_URL, method: 'GET', maxAnswer: 1_000 })
  } catch (error) {
    // Not the address: whoever knows it can keep the watch quiet.
    console.warn('The heartbeat was not taken', error instanceof Error ? error.message : '')
  }
}
