import { html } from '../http/html'
import { isCveId } from '../domain/names/cve'
import { scoreBand, scoreWord } from '../domain/scores/rating'
import type { Env } from '../env'
import type { Found } from '../http/page'
import type { VulnRow } from '../vulns/contract'
import { lastPage } from './contract'
import { showPage } from './page'
import { cut, showDate, missingSummary, showTitle } from './words'

export const resultsPerPage = 10
const summaryLength = 240
const cacheSeconds = 60

type Search = { text: string; page: number }

export const searchPage = (
  env: Env,
  { text, page }: Search,
  { count, count_is_exact = true, results }: Found<VulnRow>,
) =>
  showPage(env, {
    title: text ? cut(`Search: ${text}`, 80) : 'Search vulnerabilities',
    description: 'Search known vulnerabilities by CVE id, vendor, product or words.',
    path: '/public/search',
    cache_seconds: cacheSeconds,
    body: html`<h1>${text ? html`Search: <span class="quiet">${cut(text, 80)}</span>` : 'Search vulnerabilities'}</h1>
      ${text ? '' : html`<p class="lead">${purpose}</p>`}
      <form class="search" action="/public/search">
        <label for="q">CVE id, PH id, vendor, product or words</label>
        <div>
          <input id="q" type="search" name="q" value="${text}" maxlength="200" />
          <button class="action">Search</button>
        </div>
      </form>
      ${count === 0 ? unknownCve(text) : ''}
      <p class="quiet">${showCount(count, count_is_exact)}</p>
      <ol class="results" start="${(page - 1) * resultsPerPage + 1}">
        ${results.map(result)}
      </ol>
      ${pager({ text, page }, results.length === resultsPerPage && page * resultsPerPage < count)}`,
  })

const purpose =
  'Earshot reads the public sources of vulnerabilities, finds which versions are affected, and tells your team within minutes what touches the software that you run.'

const result = (vuln: VulnRow) =>
  html`<li class="card">
    <h2><a href="/public/vulns/${vuln.id}">${showTitle(vuln)}</a></h2>
    <p>
      ${
        vuln.score === null
          ? html`<span class="badge" data-band="unknown">n/a</span>`
          : html`<span class="badge" data-band="${scoreBand(vuln.score)}">${vuln.score}<small>/100</small></span>
              ${scoreWord(vuln.score)}${vuln.is_score_provisional ? ' (provisional)' : ''}`
      }
      <span class="quiet">Published <time>${showDate(vuln.published)}</time></span>
    </p>
    <p>${cut(vuln.summary || missingSummary(vuln.state), summaryLength)}</p>
  </li>`

/** People may search for an id before any source has a record of it. */
function unknownCve(text: string) {
  const cveid = text.toUpperCase()
  if (!isCveId(cveid)) return ''
  return html`<p>
    ${cveid} is not known yet: no source has a record of it.
    <a href="/search/${cveid}">Sign in</a> and Earshot watches for it, and tells you as soon as one does.
  </p>`
}

function showCount(count: number, isExact: boolean) {
  if (count === 0) return 'Nothing was found.'
  const number = `${count.toLocaleString('en-US')}${isExact ? '' : '+'}`
  return `${number} ${count === 1 ? 'vulnerability' : 'vulnerabilities'}`
}

function pager({ text, page }: Search, hasMore: boolean) {
  const to = (number: number) => `/public/search?${new URLSearchParams({ q: text, page: String(number) })}`
  return html`<nav class="pager" aria-label="Pages">
    ${page > 1 ? html`<a rel="prev" href="${to(page - 1)}">Previous</a>` : ''}
    ${hasMore && page < lastPage ? html`<a rel="next" href="${to(page + 1)}">Next</a>` : ''}
  </nav>`
}
