import { z } from 'zod'
import type { Env } from '../env'
import { askJson, providerFailure } from './ask-json'

const Answer = z.object({
  Status: z.int(),
  Answer: z.array(z.object({ type: z.int(), data: z.string() })).default([]),
})
const types = { A: 1, TXT: 16, AAAA: 28 } as const

export const findTxt = async (env: Env, name: string) => (await findRecords(env, name, 'TXT')).map(unquoted)

export const findAddresses = async (env: Env, name: string) =>
  (await Promise.all([findRecords(env, name, 'A'), findRecords(env, name, 'AAAA')])).flat()

/** Asked over HTTPS, in the JSON form that Cloudflare and Google speak. */
async function findRecords(env: Env, name: string, type: keyof typeof types) {
  const url = new URL(env.DNS_RESOLVER ?? 'https://cloudflare-dns.com/dns-query')
  url.searchParams.set('name', name)
  url.searchParams.set('type', type)
  const { Answer: answers } = await askJson(url.href, Answer, { headers: { accept: 'application/dns-json' } }).catch(
    (error: Error) => {
      throw providerFailure(
        `${name} could not be looked up, as the name service gives no answer (${error.message}). Try again in a few minutes. ` +
          'If this stays so, tell those who run this Earshot: it needs a name service that it reaches (DNS_RESOLVER).',
      )
    },
  )
  return answers.filter((answer) => answer.type === types[type]).map(({ data }) => data)
}

// A record comes in pieces of up to 255 bytes, each within quotes.
const unquoted = (data: string) =>
  data.startsWith('"') ? [...data.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => piece).join('') : data
