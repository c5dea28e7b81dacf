import type { z } from 'zod'
import type { feedIds } from './contract'
import { epss } from './epss'
import type { StepEnd, StepRun } from './feed'
import { kev } from './kev'
import { nvd } from './nvd'

export type FeedId = (typeof feedIds)[number]

/** A feed whose cursor is read from what is stored; one that cannot be read any more starts from the beginning. */
function registered<Cursor>(feed: {
  name: string
  every_minutes: number
  cursor: z.ZodType<Cursor>
  step(run: StepRun<Cursor>, cursor: Cursor | null): Promise<StepEnd<Cursor>>
}) {
  const { name, every_minutes } = feed
  return {
    name,
    every_minutes,
    step: (run: StepRun<unknown>, stored: unknown): Promise<StepEnd<unknown>> =>
      feed.step(run, feed.cursor.safeParse(stored).data ?? null),
  }
}

export const feedsById = { nvd: registered(nvd), kev: registered(kev), epss: registered(epss) } satisfies Record<
  FeedId,
  unknown
>
