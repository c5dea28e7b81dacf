import { and, desc, isNull, ne } from 'drizzle-orm'
import { raw } from 'hono/html'
import { html } from '../http/html'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { formatMoment } from '../domain/words/moment'
import type { Env } from '../env'
import { vulns } from '../schema/vulns'
import { cached } from './open-route'

/** Search engines find older pages by links; listing all would read all rows. */
const maxListed = 1_000
const cacheSeconds = 3_600

export async function sitemap(db: Db, env: Env) {
  const rows = await db
    .select({ id: vulns.id, updated_at: vulns.updated_at })
    .from(vulns)
    .where(and(ne(vulns.state, 'rejected'), isNull(vulns.org_id)))
    .orderBy(desc(vulns.updated_at), desc(vulns.id))
    .limit(maxListed)
  const text = await html`${raw('<?xml version="1.0" encoding="UTF-8"?>')}
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      ${['conformance', 'census', 'sources'].map((page) => html`<url><loc>${env.APP_URL}/${page}</loc></url>`)}
      ${rows.map(
        ({ id, updated_at }) =>
          html`<url><loc>${env.APP_URL}/public/vulns/${id}</loc><lastmod>${formatMoment(updated_at)}</lastmod></url>`,
      )}
    </urlset>`
  return cachedText(String(text), 'application/xml; charset=utf-8')
}

export const robots = ({ APP_URL }: Env) =>
  cachedText(
    [
      'User-agent: *',
      'Allow: /public/vulns/',
      'Allow: /conformance',
      'Allow: /census',
      'Allow: /sources',
      'Disallow: /public/newsletter',
      'Disallow: /public/search',
      'Disallow: /api/',
      '',
      `Sitemap: ${APP_URL}/sitemap.xml`,
      '',
    ].join('\n'),
    'text/plain; charset=utf-8',
  )

const securityTxtDays = 180

/** RFC 9116. It expires later with each answer: one that a mirror kept for long does not count. */
export const securityTxt = ({ APP_URL, SUPPORT_EMAIL }: Env, now: Date) =>
  cachedText(
    [
      `Contact: ${SUPPORT_EMAIL ? `mailto:${SUPPORT_EMAIL}` : `${APP_URL}/`}`,
      `Expires: ${stamp(plusSeconds(now, securityTxtDays * 86_400))}`,
      'Preferred-Languages: en',
      `Canonical: ${APP_URL}/.well-known/security.txt`,
      '',
    ].join('\n'),
    'text/plain; charset=utf-8',
  )

const cachedText = (text: string, type: string) =>
  new Response(text, { headers: { 'content-type': type, 'cache-control': cached(cacheSeconds) } })
