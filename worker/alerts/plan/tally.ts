import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { channelNames } from '../../domain/alert-rules'
import type { ChannelName } from '../../domain/alert-rules'

/** A tally is how many messages each channel has of an alert, as one number: eight bits each, as none has more than 24 (three addresses, eight rules). */
const bits = 8
const shifts = channelNames.map((channel, at) => ({ channel, shift: at * bits }))
const one = (shift: number) => 2 ** shift

/** The tally of one message. */
export const messageTally = (channel: SQL) =>
  sql`CASE ${channel} ${sql.join(
    shifts.map((each) => sql.raw(`WHEN '${each.channel}' THEN ${one(each.shift)}`)),
    sql` `,
  )} END`

const countIn = (tally: string, shift: number) => `(${tally} >> ${shift} & 255)`

/** Whether some channel has fewer messages by the one tally than by the other; both are columns. */
export const hasFewer = (tally: string, other: string) =>
  sql.raw(`(${shifts.map(({ shift }) => `${countIn(tally, shift)} < ${countIn(other, shift)}`).join(' OR ')})`)

export const channelsWithFewer = (tally: number, other: number): ChannelName[] =>
  shifts.flatMap(({ channel, shift }) => {
    const count = (all: number) => Math.floor(all / one(shift)) % one(bits)
    return count(tally) < count(other) ? [channel] : []
  })
