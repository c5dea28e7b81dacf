import { html } from 'hono/html'
import type { Env } from '../env'
import type { PublicVuln } from './contract'
import { decisionStrip } from './decision-strip'
import { newsletterCard, proCard, serviceCard } from './offer-cards'
import { showPage } from './page'
import { accessCard, cvssCard, impactCard, metricsCard, scoreCard } from './score-cards'
import { structuredData } from './structured-data'
import { vulnCard } from './vuln-card'
import { describeVuln, showTitle } from './words'

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
