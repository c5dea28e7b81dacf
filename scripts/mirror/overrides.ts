import { join } from 'node:path'
import { Missing, sendFile } from './answer.ts'
import { composeFile, readArray, listFiles } from './compose.ts'
import type { MirrorRoute } from './route.ts'
import { zipPieces } from './zip-writer.ts'

const archive = 'nvd-data-overrides-main'

/** The archive of the repository with a file per CVE; the folder has an array per year. */
export const overrideMirror: MirrorRoute[] = [
  {
    pattern: /^\/anchore\/nvd-data-overrides\/zip\/refs\/heads\/main$/,
    async answer({ folder, cache, request, response }) {
      const files = await listFiles(join(folder, 'nvd-overrides'), /^overrides-(\d{4}|sample)\.json(\.gz)?$/)
      if (!files.length) throw new Missing('This mirror has no nvd-overrides')
      const pieces = () => zipPieces(listInputs(files))
      const path = await composeFile(cache, { name: 'nvd-overrides.zip', files, pieces })
      return sendFile(request, response, { path, type: 'application/zip' })
    },
  },
]

type Override = { _annotation: { cve_id: string } }

function* listInputs(files: string[]) {
  yield { name: `${archive}/README.md`, data: Buffer.from('# NVD data overrides\n') }
  for (const record of files.flatMap(readArray) as Override[]) {
    const { _annotation: about } = record
    const { cve_id: id } = about
    const data = Buffer.from(JSON.stringify(record, undefined, 2))
    yield { name: `${archive}/data/${id.slice(4, 8)}/${id}.json`, data }
  }
}
