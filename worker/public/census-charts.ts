import { raw } from 'hono/html'
import { html } from '../http/html'
import { anySource, sumCounts, type CensusMonth } from '../domain/service/census'

const step = 4
const height = 100

/** Sources that judge the CVEs of a month, from the best to none. */
export const censusParts = [
  {
    id: 'judged',
    name: 'Machine-readable versions',
    count: (month: CensusMonth) => sumCounts(month.sources[anySource]),
  },
  { id: 'named', name: 'A product alone', count: (month: CensusMonth) => month.by_name },
  {
    id: 'nothing',
    name: 'Nothing named',
    count: (month: CensusMonth) => month.cves - month.by_name - sumCounts(month.sources[anySource]),
  },
]

export const groupDigits = (count: number) => count.toLocaleString('en-US')
/** Rounded down, so that only all is 100 %; a few are never none. */
export const formatShare = (count: number, total: number) => {
  const percent = Math.floor((count / total) * 100)
  return count > 0 && percent === 0 ? '< 1 %' : `${percent} %`
}

type Chart = { label: string; names: string[]; months: (CensusMonth | undefined)[] }

/** A bar a month, as high as its CVEs; a month not counted yet is a line at the bottom. */
export function showParts({ label, names, months }: Chart) {
  const most = Math.max(1, ...months.map((month) => month?.cves ?? 0))
  const bars = months.map((month, at) => {
    if (!month) return showGap(at, `${names[at]}: not counted yet`)
    let top = height
    const pieces = censusParts.map(({ id, count }) => {
      const tall = (count(month) / most) * height
      top -= tall
      return tall > 0 ? `<path class="${id}" d="M${at * step} ${top.toFixed(2)}h3v${tall.toFixed(2)}h-3z"/>` : ''
    })
    const told = censusParts.map(({ name, count }) => `${name} ${groupDigits(count(month))}`).join(', ')
    return `<g><title>${names[at]}: ${groupDigits(month.cves)} CVEs. ${told}</title>${pieces.join('')}</g>`
  })
  return drawChart(label, names, bars)
}

/** A bar a month, as high as the share of its CVEs. */
export function showShares({ label, names, months }: Chart, count: (month: CensusMonth) => number | undefined) {
  const bars = months.map((month, at) => {
    const found = month && count(month)
    if (!month || found === undefined) return showGap(at, `${names[at]}: ${month ? 'not read' : 'not counted yet'}`)
    if (!month.cves) return showGap(at, `${names[at]}: no CVEs`)
    const tall = (found / month.cves) * height
    return `<path class="judged" d="M${at * step} ${(height - tall).toFixed(2)}h3v${tall.toFixed(2)}h-3z"><title>${names[at]}: ${groupDigits(found)} of ${groupDigits(month.cves)}</title></path>`
  })
  return drawChart(label, names, bars)
}

const showGap = (at: number, title: string) =>
  `<path class="none" d="M${at * step} ${height - 3}h3v3h-3z"><title>${title}</title></path>`

// All that stands in it is ours: months, words and numbers.
const drawChart = (label: string, names: string[], bars: string[]) =>
  html`<svg
      class="census"
      viewBox="0 0 ${names.length * step - 1} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${label}"
    >
      ${raw(bars.join(''))}
    </svg>
    <div class="quiet ends"><span>${names[0]}</span><span>${names.at(-1)}</span></div>`
