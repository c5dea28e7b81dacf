import { z } from 'zod'
import type { Env } from '../env'
import { askProvider } from './sso-fetch'

const Answer = z.object({
  Status: z.int(),
  Answer: z.array(z.object({ type: z.int(), data: z.string() })).default([]),
})
const txt = 16

/** The TXT records of a name, asked over HTTPS (the JSON form that Cloudflare and Google speak). */
export async function findTxt(env: Env, name: string) {
  const url = new URL(env.DNS_RESOLVER ?? 'https://cloudflare-dns.com/dns-query')
  url.searchParams.set('name', name)
  url.searchParams.set('type', 'TXT')
  const { Answer: answers } = await askProvider(url.href, Answer, { headers: { accept: 'application/dns-json' } })
  return answers.filter(({ type }) => type === txt).map(({ data }) => unquoted(data))
}

// A record comes in pieces of up to 255 bytes, each within quotes.
const unquoted = (data: string) =>
  data.startsWith('"') ? [...data.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => piece).join('') : data
