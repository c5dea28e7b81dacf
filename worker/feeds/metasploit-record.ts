import { z } from 'zod'
import { cveIdPattern } from '../domain/cve'
import { utcStamp } from './dates'
import { listReader, plainText } from './exploit-records'
import type { Listed } from './exploit-records'
import { exploitWorth } from './exploit-worth'

/** Payloads, encoders and the like are tools: they exploit no vulnerability, whatever they refer to. */
const exploitingTypes = ['exploit', 'auxiliary', 'post'] as const

/** GoodRanking of Metasploit's exploit ranks: it works by itself on the common targets. */
const goodRank = 400

const time = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)))
  .optional()
  .catch(undefined)

/** A module of Metasploit's modules_metadata_base.json. */
const MetasploitModule = z.object({
  name: z.string().min(1),
  fullname: z.string().regex(/^[a-z]+\/[\w/.+-]+$/),
  type: z.string(),
  rank: z.number().catch(0),
  disclosure_date: time,
  mod_time: time,
  description: z.string().catch(''),
  references: z.array(z.string()),
})
type MetasploitModule = z.output<typeof MetasploitModule>

function fromMetasploit(module: MetasploitModule): Listed {
  const { name, fullname, type, references, description, disclosure_date, mod_time } = module
  const isExploiting = exploitingTypes.some((one) => one === type)
  return {
    cveids: isExploiting ? [...new Set(references.filter((one) => cveIdPattern.test(one)))] : [],
    title: name,
    exploit: {
      key: `msf:${fullname}`,
      link: `https://www.rapid7.com/db/modules/${fullname}/`,
      notes: plainText(description ? `${name}: ${description}` : name),
      ...worthOf(module),
      ...(disclosure_date && { published: stampOf(disclosure_date) }),
      ...(mod_time && { modified: stampOf(mod_time) }),
    },
  }
}

function worthOf({ fullname, rank }: MetasploitModule) {
  const worth = rank >= goodRank ? exploitWorth.reliableModule : exploitWorth.module
  return fullname.startsWith('auxiliary/scanner/') ? { ...worth, type: 'discovery' as const } : worth
}

// "2007-08-15", or "2020-10-02 17:38:06 +0000".
const stampOf = (text: string) => utcStamp(text.replace(/^(\S+) (\S+) ([+-]\d{4})$/, '$1T$2$3'))

/** The modules of the file, an object by `<type>_<name>`. Throws when it is another file. */
export function readMetasploit(text: string) {
  const modules = Object.entries(parse(text))
  if (!modules.length) throw new Error('The file holds no modules')

  const reader = listReader(MetasploitModule, fromMetasploit)
  // A module is kept under its CVE, so that what was known of it stays.
  for (const [key, module] of modules) reader.add(/CVE-\d{4}-\d{4,19}/.exec(JSON.stringify(module))?.[0] ?? key, module)
  return reader
}

function parse(text: string): object {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new Error('The file is not valid JSON')
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Error('The file is not an object of modules')
  return json
}
