import { readFileSync, writeFileSync } from 'node:fs'

/** Only the owner may read the file: it holds a secret. */
export function writePrivately(path: string, text: string) {
  writeFileSync(path, text, { mode: 0o600 })
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
