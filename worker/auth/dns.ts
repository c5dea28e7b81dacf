import * as z from 'zod'
import type { Env } from '../env'
import { askJson, providerFailure } from './ask-json'

const Answer = z.object({
  Status: z.int(),
  Answer: z.array(z.object({ name: z.string().default(''), type: z.int(), data: z.string() })).default([]),
})
const statuses = { found: 0, no_such_name: 3 }
const types = { A: 1, TXT: 16, AAAA: 28 } as const

/** Of the name itself: the holder of an alias writes its target. */
export const findTxt = async (env: Env, name: string) =>
  (await findRecords(env, name, 'TXT')).filter((record) => isName(record.name, name)).map(({ data }) => unquoted(data))

export const findAddresses = async (env: Env, name: string) =>
  (await Promise.all([findRecords(env, name, 'A'), findRecords(env, name, 'AAAA')])).flat().map(({ data }) => data)

const isName = (answered: string, asked: string) => answered.toLowerCase().replace(/\.$/, '') === asked.toLowerCase()

/** Asked over HTTPS, in the JSON form that Cloudflare and Google speak. */
async function findRecords(env: Env, name: string, type: keyof typeof types) {
  const url = new URL(env.DNS_RESOLVER ?? 'https://cloudflare-dns.com/dns-query')
  url.searchParams.set('name', name)
  url.searchParams.set('type', type)
  const { Status: status, Answer: answers } = await askJson(url.href, Answer, {
    headers: { accept: 'application/dns-json' },
  }).catch((error: Error) => {
    throw noAnswer(name, error.message)
  })
  if (status === statuses.no_such_name) return []
  if (status !== statuses.found) throw noAnswer(name, `status ${status}`)
  return answers.filter((answer) => answer.type === types[type])
}

const noAnswer = (name: string, reason: string) =>
  providerFailure(
    `${name} could not be looked up, as the name service gives no answer (${reason}). Try again in a few minutes. ` +
      'If this stays so, tell those who run this Earshot: it needs a name service that it reaches (DNS_RESOLVER).',
  )

// A record comes in pieces of up to 255 bytes, each within quotes; sticky, so that anything else ends the search.
function unquoted(data: string) {
  if (!data.startsWith('"')) return data
  const piece = /\s*"((?:[^"\\]|\\.)*)"/gy
  return [...data.matchAll(piece)].map(([, text]) => text).join('')
}
