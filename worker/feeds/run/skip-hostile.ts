import type { VulnRecord } from '../../domain/words/record'
import { errorText } from '../../db/error-text'
import { endsStep } from '../source/feed'
import type { Commit, StepRun } from '../source/feed'
import { newSkip } from '../source/read-records'
import type { Skip } from '../source/read-records'

/** After this many failed runs in a row, the next one skips the record that makes it fail. */
const toleratedFailures = 4
/** If more records of a chunk fail, the records are not the cause. */
const maxHostile = 3

type Begun = { failures: number; cursor: unknown }

/** After the tolerated failures, halves a failing chunk down to the bad record and skips it, so that it cannot stop a feed for ever. */
export function skipHostile<Run extends StepRun<unknown>>(run: Run, { failures, cursor }: Begun): Run {
  const skipsHostile = failures >= toleratedFailures
  // Parts of a chunk leave the cursor where it was.
  let reached = cursor
  return {
    ...run,
    skipsHostile,
    async commit(source, commit, next) {
      try {
        await run.commit(source, commit, next)
      } catch (error) {
        if (!skipsHostile || endsStep(error)) throw error
        const { records, skipped = [], is_backfill } = commit
        const commitPart = (part: VulnRecord[]) => run.commit(source, { records: part, read: 0, is_backfill }, reached)
        const hostile = await commitByHalves(records, commitPart)
        if (hostile.length > maxHostile) throw error
        const others: Commit = { ...commit, records: [], skipped: [...skipped, ...hostile] }
        await run.commit(source, others, next)
      }
      reached = next
    },
    async write(statements, next, counts) {
      await run.write(statements, next, counts)
      reached = next
    },
  }
}

async function commitByHalves(
  records: VulnRecord[],
  commitPart: (part: VulnRecord[]) => Promise<void>,
): Promise<Skip[]> {
  try {
    await commitPart(records)
    return []
  } catch (error) {
    if (endsStep(error)) throw error
    const [record] = records
    if (!record) throw error
    if (records.length === 1) return [skipFor(record, error)]
    const middle = Math.ceil(records.length / 2)
    const hostile = await commitByHalves(records.slice(0, middle), commitPart)
    if (hostile.length > maxHostile) return hostile
    return [...hostile, ...(await commitByHalves(records.slice(middle), commitPart))]
  }
}

const skipFor = (record: VulnRecord, error: unknown) =>
  newSkip(record.cveid, `It made ${toleratedFailures + 1} runs fail: ${errorText(error)}`, JSON.stringify(record))
