import { readyAuditBy, type By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { eq } from 'drizzle-orm'
import { orgs } from '../schema/orgs'
import { readOwnWords } from './read-own-words'
import { readSettings } from './read-settings'
import { readWatched } from './read-watched'
import { formatVersion, Header, type WrittenRecord } from './records'

/** Said in the file, as somebody opens it years later. */
const stays =
  'people and rights, sessions, tokens, sign-in, addresses and keys of receivers, receivers beyond the first of a kind, escalations, rotas, feeds, private views of colleagues, watched bulletins, sent alerts and their proofs, reports, histories, proposals of suppliers, clocks of the CRA, removed items, the audit log'

/** Marks that turn the direction of text are escaped: the text stays, and no reader of the file is misled. */
const toLine = (value: unknown) =>
  `${JSON.stringify(value).replace(/\p{Bidi_C}/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`

/** A record a line, written while they are read. */
export async function exportOrgFile(db: Db, by: By) {
  const { org_id } = by.actor
  const find = db.select({ name: orgs.name, slug: orgs.slug }).from(orgs).where(eq(orgs.id, org_id))
  const [[org], write] = await Promise.all([find, readyAuditBy(db, by)])
  const [name, slug] = [org?.name ?? '', org?.slug ?? '']
  await write([], { action: 'org.export', target: name, detail: {} })
  const head = {
    ...Header.parse({ format: 'earshot-organization', version: formatVersion }),
    exported_at: stamp(by.now),
  }
  const lines = writeLines({ ...head, organization: name, stays }, readAll(db, by))
  const pieces = new ReadableStream<string>({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Response(pieces.pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="earshot_${slug}_${stamp(by.now).slice(0, 10)}.ndjson"`,
    },
  })
}

/** The last line says that nothing is missing. */
async function* writeLines(head: unknown, records: AsyncGenerator<WrittenRecord[]>) {
  yield toLine(head)
  let count = 0
  for await (const some of records) {
    count += some.length
    if (some.length) yield some.map(toLine).join('')
  }
  yield toLine({ kind: 'end', records: count })
}

async function* readAll(db: Db, by: By): AsyncGenerator<WrittenRecord[]> {
  yield* readWatched(db, by.actor.org_id)
  yield* readOwnWords(db, by.actor.org_id, by.now)
  yield* readSettings(db, by.actor)
}
