/** How often a fault happens (of trips, messages, calls of the Worker, answers of others), and between which numbers its size lies. */
export type FaultShape = [share: number, least?: number, most?: number]

export const faults = {
  'database-fails': [0.008],
  'database-slow': [0.1],
  'copy-late': [0.03],
  'queue-lost': [0.05],
  'queue-doubled': [0.05],
  'queue-late': [0.1, 1_000, 120_000],
  'clock-skew': [0.2, -1_500, 1_500],
  'clock-jump': [0.01, -1_800_000, 1_800_000],
  'all-stand-still': [0.2, 60_000, 36_000_000],
  killed: [0.003],
  'killed-calling': [0.04],
  // Of each statement of a batch.
  stalled: [0.03, 40_000, 200_000],
  'feed-down': [0.1],
  'feed-cut': [0.05],
  'feed-etag': [0.1],
  'receiver-refuses': [0.1],
  'receiver-hangs': [0.02],
  'receiver-forgets-answer': [0.1],
  'mail-refused': [0.1],
} satisfies Record<string, FaultShape>
export type FaultName = keyof typeof faults

/** `without`: faults, organizations, and the numbers of events that do not happen make a failing story shorter. */
export type Story = { seed: number; steps: number; without: string[] }
type ToldLine = { step: number; at: string; text: string }
export type Ending = { problems: string[]; steps: number; events: number; lines: ToldLine[] }

export const wholeStory = (seed: number, steps: number): Story => ({ seed, steps, without: [] })
