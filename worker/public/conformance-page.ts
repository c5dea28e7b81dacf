import { html } from '../http/html'
import type { Env } from '../env'
import { readBuilt, type Built } from './built'
import { stackedTable } from './card'
import { mayIndex, showPage } from './page'

const cacheSeconds = 3_600
const count = (number: number) => number.toLocaleString('en-US')

const kinds = new Map([
  ['otherwise', 'otherwise on purpose'],
  ['unknown', 'answered as unknown'],
])

const heads = ['Set', 'Cases', 'Right', 'Otherwise', 'Unknown', 'Refused', 'Wrong']

type ConformanceSet = Built['conformance'][number]

const toRow = ({ id, name, source, ...set }: ConformanceSet) => ({
  head: html`${set.differences.length > 0 ? html`<a href="#${id}">${name}</a>` : name}
    <div class="quiet">${source}</div>`,
  cells: [set.cases, set.right, set.otherwise, set.unknown, set.refused, set.wrong].map(count),
})

const showDifferences = ({ id, name, differences }: ConformanceSet) =>
  html`<section class="card" id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${name}</h2>
    <ul class="reasons">
      ${differences.map(
        ({ kind, count: number, what, why }) =>
          html`<li>
            <strong>${count(number)} ${kinds.get(kind) ?? kind}:</strong> ${why}
            <div class="quiet">For example ${what}</div>
          </li>`,
      )}
    </ul>
  </section>`

/** How exact Earshot is; `npm run conformance` wrote each number and reason. */
export async function conformancePage(env: Env) {
  const { conformance: sets } = await readBuilt(env)
  return showPage(env, {
    title: 'How exact Earshot is',
    description: 'Answers of Earshot to published test cases and real records, and each difference explained.',
    path: '/conformance',
    cache_seconds: cacheSeconds,
    head: mayIndex,
    body: html`<h1>How exact Earshot is</h1>
      <p class="lead">
        Scores, names and verdicts on versions, beside published test values, records that list every version, and slow
        judges that were written from the standards alone. The run of the tests writes this page; none of its numbers is
        typed in.
      </p>
      <p class="lead">
        <strong>Otherwise</strong> is another answer than the standard’s, on purpose, and the reason stands below.
        <strong>Unknown</strong> is what Earshot cannot tell, and never shows as safe. <strong>Refused</strong> is what
        cannot be read. <strong>Wrong</strong> is a difference without a reason: one stops the next release.
      </p>
      ${stackedTable('Sets of cases', heads, sets.map(toRow))}
      <h2 class="differences">Each difference</h2>
      <div class="column">${sets.filter(({ differences }) => differences.length > 0).map(showDifferences)}</div>`,
  })
}
