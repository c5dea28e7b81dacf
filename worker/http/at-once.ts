import { pause } from '../db/readers'
import { Failure } from './errors'

/** At most so many calls run at once under a key; `what` names them to whom is refused. */
export type Places = { key: string; at_once: number; what: string }

/** Taken places, in the memory of the isolate. */
const taken = new Map<string, { at_ms: number }[]>()
/** A place of which nobody heard the end counts for so long. */
const longest_ms = 60_000

/** A call that finds no place waits for so many looks, five seconds: a hundred colleagues behind one address begin at nine. */
const looks = 250
const betweenLooks_ms = 20

/** Runs when there is a place under each key: the database answers one statement after the other, and a caller's calls stand in its line together. */
export async function inPlaces<Done>(places: Places[], run: () => Promise<Done>): Promise<Done> {
  const own = { at_ms: Date.now() }
  for (let look = 0; ; look++) {
    const full = places.find(({ key, at_once }) => findTaken(key).length >= at_once)
    if (!full) break
    if (look === looks) throw tooMany(full)
    await pause(betweenLooks_ms)
    own.at_ms = Date.now()
  }
  for (const { key } of places) taken.set(key, [...findTaken(key), own])
  try {
    return await run()
  } finally {
    for (const { key } of places) {
      const others = findTaken(key).filter((one) => one !== own)
      if (others.length) taken.set(key, others)
      else taken.delete(key)
    }
  }
}

const findTaken = (key: string) =>
  (taken.get(key) ?? []).filter(({ at_ms }) => Math.abs(Date.now() - at_ms) < longest_ms)

const tooMany = ({ at_once, what }: Places) =>
  new Failure(429, 'throttled', `${at_once} of your ${what} are being answered: wait for one of them`, {
    headers: { 'retry-after': '2' },
  })
