/** How often each fault happens: of trips, messages, ticks, calls of the Worker, answers of others. */
export const faultRates = {
  'database-before': 0.004,
  'database-after': 0.004,
  'database-slow': 0.1,
  'copy-late': 0.03,
  'queue-lost': 0.05,
  'queue-doubled': 0.05,
  'queue-late': 0.1,
  'cron-skipped': 0.1,
  'cron-doubled': 0.05,
  'cron-late': 0.1,
  'clock-skew': 0.2,
  'clock-jump': 0.01,
  'all-stand-still': 0.2,
  killed: 0.05,
  'killed-calling': 0.05,
  /** Of each statement of a batch. */
  stalled: 0.03,
  'feed-down': 0.05,
  'feed-busy': 0.05,
  'feed-cut': 0.05,
  'feed-etag': 0.1,
  'receiver-refuses': 0.1,
  'receiver-hangs': 0.02,
  'receiver-forgets-answer': 0.1,
  'mail-refused': 0.1,
} as const
export type FaultName = keyof typeof faultRates

/** Faults, organizations and events that are left out make a failing story shorter. */
export type Story = {
  seed: number
  steps: number
  faults: FaultName[]
  organizations: string[]
  /** Numbers of those that happen; all, if it is not there. */
  events?: number[]
}
export type Ending = {
  problems: string[]
  steps: number
  events: number
  lines: { step: number; at: string; text: string }[]
}

export const organizationNames = ['alder', 'birch', 'cedar'] as const

export const wholeStory = (seed: number, steps: number): Story => ({
  seed,
  steps,
  faults: Object.keys(faultRates) as FaultName[],
  organizations: [...organizationNames],
})
