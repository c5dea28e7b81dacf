import { raw } from 'hono/html'
import { html } from '../http/html'
import type { Env } from '../env'
import type { PublicVuln } from './contract'
import { newsletterWords, showPage } from './page'
import { accessCard, cvssCard, impactCard, metricsCard, scoreCard } from './score-cards'
import { vulnCard } from './vuln-card'
import { describeVuln, showTitle } from './words'
import { decide, decisionLines } from '../domain/decisions/decision'
import { outLink, card } from './card'
import { formatMoment } from '../domain/words/moment'
import { knownUpdate } from '../domain/words/last-update'

const cacheSeconds = 300

export const vulnPage = (env: Env, vuln: PublicVuln) =>
  showPage(env, {
    title: showTitle(vuln),
    description: describeVuln(vuln),
    path: `/public/vulns/${vuln.id}`,
    head: structuredData(env, vuln),
    cache_seconds: cacheSeconds,
    hasDialog: true,
    body: html`<h1>PH-${vuln.id} <span class="quiet">${vuln.cveid}</span></h1>
      ${decisionStrip(vuln)}
      <div class="columns">
        <div class="column">
          ${vulnCard(vuln)}
          <div class="row">${metricsCard(vuln)} ${accessCard(vuln)} ${impactCard(vuln)}</div>
        </div>
        <div class="column">
          ${scoreCard(vuln)} ${cvssCard({ name: 'CVSSv3', version: 3, score: vuln.cvss3, vector: vuln.cvss3_vector })}
          ${cvssCard({ name: 'CVSSv2', version: 2, score: vuln.cvss, vector: vuln.cvss_vector })}
          ${
            vuln.cvss4 === null
              ? ''
              : cvssCard({ name: 'CVSSv4', version: 4, score: vuln.cvss4, vector: vuln.cvss4_vector })
          }
        </div>
      </div>
      <div class="row offers">${proCard()} ${serviceCard()} ${newsletterCard()}</div>`,
  })

const decisionStrip = (vuln: PublicVuln) =>
  vuln.state === 'rejected'
    ? ''
    : html`<section class="card decision" aria-label="Decision">
        <h2>${decide(vuln).name}</h2>
        <dl>
          ${decisionLines(vuln).map(
            ({ label, text, url }) =>
              html`<div>
                <dt>${label}</dt>
                <dd>${url ? outLink(url, text) : text}</dd>
              </div>`,
          )}
        </dl>
      </section>`

const trial = html`<a class="action" href="/trial">Start a free 14-day trial</a>`

const proCard = () =>
  card(
    'Earshot Pro',
    html`<p>
        Choose the vendors, products and packages you run. Within minutes you hear of each vulnerability that affects
        them, by mail, chat or API.
      </p>
      ${trial}`,
  )

const serviceCard = () =>
  card(
    'Security service',
    html`<p>
        Have vulnerabilities watched and rated for your assets, so that your team starts with those that matter. The
        first 14 days are free.
      </p>
      ${trial}`,
  )

const newsletterCard = () =>
  card('Newsletter', html`${newsletterWords} <a class="action" href="/public/newsletter" data-newsletter>Subscribe</a>`)

function structuredData(env: Env, vuln: PublicVuln) {
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
