import { html, raw } from 'hono/html'
import { formatMoment } from '../domain/words/moment'
import { knownUpdate } from '../domain/words/last-update'
import type { Env } from '../env'
import type { PublicVuln } from './contract'
import { describeVuln, showTitle } from './words'

export function structuredData(env: Env, vuln: PublicVuln) {
  const [title, description] = [showTitle(vuln), describeVuln(vuln)]
  const updated_at = knownUpdate(vuln)
  const url = `${env.APP_URL}/public/vulns/${vuln.id}`
  const article = {
    '@context': 'https://schema.org',
    '@type': 'TechArticle',
    headline: title,
    description,
    url,
    identifier: [`PH-${vuln.id}`, vuln.cveid].filter(Boolean),
    // The day on which it was loaded is none of its dates.
    datePublished: vuln.published ?? undefined,
    dateModified: updated_at ? formatMoment(updated_at) : undefined,
    keywords: [vuln.cveid, ...vuln.cwe_ids, ...vuln.products.map(({ name }) => name)].filter(Boolean),
    isAccessibleForFree: true,
    publisher: { '@type': 'Organization', name: 'Earshot', url: env.APP_URL },
  }
  return html`<meta property="og:type" content="article" />
    <meta property="og:site_name" content="Earshot" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:url" content="${url}" />
    <meta name="twitter:card" content="summary" />
    <meta name="twitter:title" content="${title}" />
    <meta name="twitter:description" content="${description}" />
    ${raw(`<script type="application/ld+json">${scriptSafe(article)}</script>`)}`
}

// Texts must neither end the script nor open a comment in it.
const scriptSafe = (data: unknown) => JSON.stringify(data).replaceAll('<', String.raw`\u003c`)
