import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

// A reference, because the garbage collector closes an unreferenced database.
const held = new Set<DatabaseSync>()

/** Takes a lock that ends with the process, however it ends (SQLite holds it on the file); undefined when another has it. */
export function takeLock(path: string): (() => void) | undefined {
  mkdirSync(dirname(path), { recursive: true })
  const file = new DatabaseSync(path)
  try {
    file.exec('BEGIN EXCLUSIVE')
    held.add(file)
    return () => {
      held.delete(file)
      file.close()
    }
  } catch {
    file.close()
    return undefined
  }
}

export async function waitForLock(path: string): Promise<() => void> {
  const release = takeLock(path)
  if (release) return release
  await sleep(200)
  return waitForLock(path)
}
