import { retryMinutes } from '../../db/leases'
import { findKind } from '../../domain/alerts/alert-rules'
import type { RouteName } from '../../domain/alerts/alert-rules'

/** Seconds until the next attempt; ten attempts in 75 hours (Standard Webhooks 1.0). */
export const receiverRetries_s = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
export const mailRetries_s = retryMinutes.map((minutes) => minutes * 60)
export const retries = (channel: RouteName): readonly number[] =>
  findKind(channel) === 'email' ? mailRetries_s : receiverRetries_s
export const triesFor = (channel: RouteName) => retries(channel).length + 1
