import { retryMinutes } from '../../db/leases'
import { findKind } from '../../domain/alerts/alert-rules'
import type { RouteName } from '../../domain/alerts/alert-rules'
import { mailRetryMinutes } from '../../mail/refusal'

/** Seconds until the next attempt; ten attempts in 75 hours (Standard Webhooks 1.0). */
export const receiverRetries_s = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
const toSeconds = (minutes: readonly number[]) => minutes.map((some) => some * 60)
export const mailRetries_s = toSeconds(retryMinutes)
/** After this answer. */
export const retriesAfter = (channel: RouteName, message: string): readonly number[] =>
  findKind(channel) === 'email' ? toSeconds(mailRetryMinutes(message)) : receiverRetries_s
export const triesFor = (channel: RouteName) => retriesAfter(channel, '').length + 1
