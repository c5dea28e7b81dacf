import { beforeEach } from 'vitest'

const runtime = globalThis as { filledFor?: string | undefined }

/** Fills the database before the first test of a file in which no test writes what another one reads. */
export function fillOnce(fill: () => Promise<void>) {
  beforeEach(async ({ task }) => {
    if (runtime.filledFor === task.file.id) return
    await fill()
    runtime.filledFor = task.file.id
  })
}
