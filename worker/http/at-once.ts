import { pause, unlessLate } from '../db/readers'
import { Failure } from './errors'

/** At most so many calls run at once under a key; `what` names them to whom is refused. */
export type Places = { key: string; at_once: number; what: string; longest_ms?: number }

/** Taken places, in the memory of the isolate. */
const taken = new Map<string, { at_ms: number; longest_ms: number }[]>()
/** A place of which nobody heard the end counts for so long: no body takes longer, as it would be held beside those of the places anew. */
const usual_ms = 60_000

/** A call that finds no place waits for so many looks, five seconds: a hundred colleagues behind one address begin at nine. */
const looks = 250
const betweenLooks_ms = 20

/** Runs when there is a place under each key: the database answers one statement after the other, and a caller's calls stand in its line together. */
export async function inPlaces<Done>(places: Places[], run: () => Promise<Done>): Promise<Done> {
  const place = { at_ms: Date.now(), longest_ms: Math.max(...places.map(({ longest_ms = usual_ms }) => longest_ms), 0) }
  for (let look = 0; ; look++) {
    const full = places.find(({ key, at_once }) => findTaken(key).length >= at_once)
    if (!full) break
    if (look === looks) throw tooMany(full)
    await pause(betweenLooks_ms)
    place.at_ms = Date.now()
  }
  for (const { key } of places) taken.set(key, [...findTaken(key), place])
  try {
    return await run()
  } finally {
    for (const { key } of places) {
      const others = findTaken(key).filter((other) => other !== place)
      if (others.length) taken.set(key, others)
      else taken.delete(key)
    }
  }
}

const findTaken = (key: string) =>
  (taken.get(key) ?? []).filter(({ at_ms, longest_ms }) => Math.abs(Date.now() - at_ms) < longest_ms)

const tooMany = ({ at_once, what }: Places) =>
  new Failure(429, 'throttled', `${at_once} of your ${what} are being answered: wait for one of them`, {
    headers: { 'retry-after': '2' },
  })

const smallBody = 16_000
const isSmall = ({ body, headers }: Request) => !body || Number(headers.get('content-length') ?? Infinity) <= smallBody

/**
 * A body takes as long as its sender's line does: other calls do not wait for it. Large ones have places of their own until they are
 * answered: the memory that holds them is everybody's.
 */
export const placesOfBody = (places: Places[], request: Request): Places[] =>
  isSmall(request) ? [] : places.map((place) => ({ ...place, key: `bodies of ${place.key}`, what: 'large calls' }))

export async function arriveInTime(read: () => unknown) {
  const isRead = await unlessLate(
    (async () => {
      await read()
      return true
    })(),
    usual_ms,
  )
  if (!isRead) throw new Failure(408, 'slow', 'The request took longer than a minute to arrive')
}
