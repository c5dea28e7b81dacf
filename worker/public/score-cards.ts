import { html } from '../http/html'
import { epssPercent, epssRank } from '../domain/scores/epss'
import { cvssBand, explainVector, severity } from '../domain/scores/cvss'
import { describeFlag, type VulnFlag } from '../domain/scores/flags'
import { computeRating, scoreBand, scoreWord } from '../domain/scores/rating'
import { provisionalNote } from '../domain/scores/score'
import { card, words } from './card'
import type { PublicVuln } from './contract'

export function scoreCard({ score, is_score_provisional, rating_vector, epss, epss_percentile }: PublicVuln) {
  const rating = rating_vector === null ? null : computeRating(rating_vector)
  return card(
    'Rating',
    html`<p class="score">
        ${
          score === null
            ? html`<span class="badge" data-band="unknown">n/a</span> This vulnerability has no score yet.`
            : html`<span class="badge" data-band="${scoreBand(score)}">${score}<small>/100</small></span>
                ${scoreWord(score)}${is_score_provisional ? html` <span class="quiet">${provisionalNote}</span>` : ''}`
        }
      </p>
      ${
        rating &&
        html`<dl class="parts">
          ${part('Vulnerability', rating.display.vuln)} ${part('Threat', rating.display.threat)}
          ${part('Asset', rating.display.asset)}
        </dl>`
      }
      ${
        epss === null
          ? ''
          : html`<p class="quiet">
              EPSS ${epssPercent(epss)} in 30
              days${epss_percentile === null ? '' : `, higher than ${epssRank(epss_percentile)} of all vulnerabilities`}
            </p>`
      }`,
  )
}

const part = (name: string, value: number) =>
  html`<div>
    <dt>${name}</dt>
    <dd>
      <svg class="meter" viewBox="0 0 100 8" aria-hidden="true">
        <rect width="100" height="8" />
        <rect width="${value}" height="8" data-band="${scoreBand(value)}" />
      </svg>
      ${value}
    </dd>
  </div>`

type Cvss = { name: string; version: 2 | 3 | 4; score: number | null; vector: string }

export const cvssCard = ({ name, version, score, vector }: Cvss) =>
  card(
    name,
    html`<p class="score">
        ${
          score === null
            ? html`<span class="badge" data-band="unknown">n/a</span> Not scored in this version.`
            : html`<span class="badge" data-band="${cvssBand(score) ?? 'none'}">${score.toFixed(1)}</span>
                ${severity(version, score)}`
        }
      </p>
      ${vector && html`<code>${vector}</code>`}
      ${vector && words(explainVector(vector).map(({ name: metric, meaning }) => [metric, meaning]))}`,
  )

export function metricsCard(vuln: PublicVuln) {
  const metrics: [string, VulnFlag][] = [
    ['Exploitable', 'is_exploitable'],
    ['Confirmed', 'is_confirmed'],
    ['Relayed in the News', 'is_in_the_news'],
    ['Exploited in the Wild', 'is_in_the_wild'],
  ]
  return card(
    'Metrics',
    html`<ul class="switches">
      ${metrics.map(
        ([name, flag]) =>
          html`<li>
            <label><input type="checkbox" role="switch" disabled ${vuln[flag] ? 'checked' : ''} />${name}</label>
            <span>${describeFlag(vuln, flag)}</span>
          </li>`,
      )}
    </ul>`,
  )
}

export const accessCard = ({ access }: PublicVuln) =>
  card(
    'Access',
    words([
      ['Authentication', inWords(access.authentication)],
      ['Complexity', inWords(access.complexity)],
      ['Vector', inWords(access.vector)],
    ]),
  )

export const impactCard = ({ impact }: PublicVuln) =>
  card(
    'Impact',
    words([
      ['Confidentiality', inWords(impact.confidentiality)],
      ['Integrity', inWords(impact.integrity)],
      ['Availability', inWords(impact.availability)],
    ]),
  )

const inWords = (value: string | null) => value?.replace('_', ' ') ?? 'n/a'
