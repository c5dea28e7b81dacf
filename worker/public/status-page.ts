import { html } from '../http/html'
import { objectives as bounds, type Objective } from '../domain/service/objectives'
import type { Env } from '../env'
import { showPage } from './page'
import type { Status } from './status'

const cacheSeconds = 60
const step = 4

const nowWords = { good: 'As it should be', bad: 'Not as it should be', unknown: 'Not known' }
const feedWords = { good: 'Fresh', bad: 'Late', unknown: 'Not known' }

const showValue = (value: number, unit: Objective['unit']) => (unit === 'percent' ? `${value} %` : `${value} s`)

/** A low bar met it, a high one missed it, and a line at the bottom was not measured. */
function showBars({ name, unit, history }: Objective, days: string[]) {
  const known = new Map(history.map((one) => [one.day, one]))
  const paths = { good: '', none: '' }
  const missed = days.flatMap((day, at) => {
    const found = known.get(day)
    if (found && !found.is_met) return [{ ...found, x: at * step }]
    if (found) paths.good += `M${at * step} 8h3v16h-3z`
    else paths.none += `M${at * step} 22h3v2h-3z`
    return []
  })
  const goodDays = history.length - missed.length
  const label = `${name}, ${days.length} days: met on ${goodDays}, missed on ${missed.length}, not measured on ${days.length - history.length}`
  return html`<svg
      class="days"
      viewBox="0 0 ${days.length * step - 1} 24"
      preserveAspectRatio="none"
      role="img"
      aria-label="${label}"
    >
      <path d="${paths.none}" class="none" />
      <path d="${paths.good}" />
      ${missed.map(({ x, day, value }) => html`<path d="M${x} 0h3v24h-3z" class="missed"><title>${day}: ${showValue(value, unit)}</title></path>`)}
    </svg>
    <div class="quiet ends"><span>${days[0]}</span><span>today</span></div>
    ${
      missed.length
        ? html`<details>
            <summary>${missed.length} ${missed.length === 1 ? 'day' : 'days'} missed</summary>
            ${missed
              .toReversed()
              .map(({ day, value }) => `${day}: ${showValue(value, unit)}`)
              .join(' · ')}
          </details>`
        : ''
    }`
}

function describeValue({ unit, value, is_met, history, objective }: Objective) {
  if (value === null) return 'Not measured yet'
  const result = is_met ? 'met' : 'missed'
  return unit === 'percent'
    ? `${value} % over ${history.length} measured ${history.length === 1 ? 'day' : 'days'}; objective ${objective} %: ${result}`
    : `95 of 100 left within ${value} s on ${history.at(-1)?.day}; objective ${objective} s: ${result}`
}

const showObjective = (objective: Objective, days: string[], words: typeof nowWords) =>
  html`<section class="card" aria-label="${objective.name}">
    <div class="objective">
      <h3>${objective.name}</h3>
      <strong data-now="${objective.now}">${words[objective.now]}</strong>
    </div>
    <p class="quiet">${describeValue(objective)}</p>
    ${showBars(objective, days)}
  </section>`

function summarize({ objectives, measured_at }: Status) {
  const [bad, unknown] = (['bad', 'unknown'] as const).map((state) => objectives.filter(({ now }) => now === state))
  const list = (some: Objective[] = []) => some.map(({ name }) => name).join(', ')
  if (!measured_at) return 'Nothing was measured yet: nobody can say how it is doing.'
  if (objectives[0]?.now === 'unknown') return 'Nothing was measured for a while: nobody can say how it is doing now.'
  if (bad?.length) return `Not as it should be: ${list(bad)}.`
  if (unknown?.length) return `Everything known is as it should be. Not known: ${list(unknown)}.`
  return 'Everything is as it should be.'
}

/** Objectives and how they were kept, for anybody; `/api/public/status` says the same to machines. */
export function statusPage(env: Env, status: Status) {
  const { objectives, days, measured_at } = status
  const isOfFeed = ({ id }: Objective) => id.startsWith('feed-')
  const [own, feeds] = [objectives.filter((one) => !isOfFeed(one)), objectives.filter(isOfFeed)]
  return showPage(env, {
    title: 'How Earshot is doing',
    description: 'Objectives for freshness, alerts and availability, and how they were kept on each of 90 days.',
    path: '/status',
    cache_seconds: cacheSeconds,
    body: html`<h1>How Earshot is doing</h1>
      <p class="lead">
        <strong>${summarize(status)}</strong>
        ${measured_at ? html`Measured at ${measured_at.slice(0, 16).replace('T', ' ')} UTC.` : ''}
      </p>
      <p class="lead">
        The service measures itself every five minutes. A low bar is a day that met its objective, a high one a day that
        missed it, and a line at the bottom a day that was not measured. Days end at midnight, UTC. The same is at
        <a href="/api/public/status">/api/public/status</a>.
      </p>
      <div class="results">
        <h2 class="differences">The service</h2>
        ${own.map((one) => showObjective(one, days, nowWords))}
        <p class="quiet">
          Availability: neither a job nor anybody’s alerts were late; times without any measurement count as not
          available. Alerts: from a change to its message, of those that are wanted at once, and only where enough of
          several organizations
          left.${own.some(({ id }) => id === 'outside') ? ' Seen from outside: of the times at which probes elsewhere looked, those at which it answered each of them.' : ''}
        </p>
        <h2 class="differences">How fresh each feed is</h2>
        <p class="quiet">
          A feed is fresh when it was read within three of its intervals and its source was silent no longer than usual:
          ${bounds.percent} % of the time is the objective.
        </p>
        ${feeds.length ? feeds.map((one) => showObjective(one, days, feedWords)) : html`<p>No feed was measured yet.</p>`}
      </div>`,
  })
}
