import { z } from 'zod'
import { cveIdPattern } from '../domain/cve'
import type { Listed } from './exploit-records'
import { plainText } from './exploit-records'
import { exploitWorth } from './exploit-worth'

/** A line of nuclei-templates' cves.json. */
export const NucleiTemplate = z.object({
  ID: z.string().regex(cveIdPattern),
  Info: z.object({ Name: z.string().min(1), Description: z.string().catch('') }),
  file_path: z.string().regex(/^[\w./-]+\.ya?ml$/),
})
export type NucleiTemplate = z.output<typeof NucleiTemplate>

export const fromNuclei = ({ ID, Info, file_path }: NucleiTemplate): Listed => ({
  cveids: [ID],
  title: Info.Name,
  exploit: {
    key: `nuclei:${file_path.replace(/\.ya?ml$/, '')}`,
    link: `https://github.com/projectdiscovery/nuclei-templates/blob/main/${file_path}`,
    notes: plainText(Info.Description ? `${Info.Name}: ${Info.Description}` : Info.Name),
    ...exploitWorth.template,
  },
})
