import { z } from 'zod'
import { cveIdPattern } from '../domain/cve'
import { listReader, plainText } from './exploit-records'
import type { Listed } from './exploit-records'
import { exploitWorth } from './exploit-worth'
import { lines } from './lines'

/** A line of nuclei-templates' cves.json. */
const NucleiTemplate = z.object({
  ID: z.string().regex(cveIdPattern),
  Info: z.object({ Name: z.string().min(1), Description: z.string().catch('') }),
  file_path: z.string().regex(/^[\w./-]+\.ya?ml$/),
})
type NucleiTemplate = z.output<typeof NucleiTemplate>

const fromNuclei = ({ ID, Info, file_path }: NucleiTemplate): Listed => ({
  cveids: [ID],
  title: Info.Name,
  exploit: {
    key: `nuclei:${file_path.replace(/\.ya?ml$/, '')}`,
    link: `https://github.com/projectdiscovery/nuclei-templates/blob/main/${file_path}`,
    notes: plainText(Info.Description ? `${Info.Name}: ${Info.Description}` : Info.Name),
    ...exploitWorth.template,
  },
})

/** The templates of the file; a line that is none is kept under the CVE it names. Throws when none is one. */
export async function readNuclei(body: ReadableStream<Uint8Array>) {
  const reader = listReader(NucleiTemplate, fromNuclei)
  let at = 0
  for await (const line of lines(body)) {
    at++
    if (!line.trim()) continue
    const id = /CVE-\d{4}-\d{4,19}/.exec(line)?.[0] ?? `line ${at}`
    try {
      reader.add(id, JSON.parse(line))
    } catch {
      reader.refuse(id, 'not valid JSON', line)
    }
  }
  if (!reader.listed.length) throw new Error('The file holds no templates')
  return reader
}
